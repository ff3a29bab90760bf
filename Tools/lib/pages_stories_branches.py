"""Campaigns that several shops of one owner share: published on the owner's page, collected at one counter, redeemed at another."""

from pages_people import REFUSED, Shop, require, sees, signed_in, until
from pages_stage import TABLET
from pages_town import Person

SUBMIT = "main form [type=submit]"


class Brand(Shop):
    """Two shops of one owner, a clerk of the second alone, and a campaign that no shop shares yet."""

    def __init__(self, stage, goal=3):
        super().__init__(stage, goal=goal, name="First Tea")
        self.second = self.town.open_shop(self.keeper, "Second Tea", "2 Tea Road", 31.24, 121.48)
        self.clerk = self.town.person()
        self.keeper.ask("PUT", f"/v1/shops/{self.second}/staff/{self.clerk.account}", {"role": "counter"})
        offer = self.clerk.ask("GET", "/v1/me/invitations")["items"][0]["id"]
        self.clerk.ask("POST", f"/v1/me/invitations/{offer}/acceptance")

    def share(self):
        self.keeper.ask("PATCH", f"/v1/campaigns/{self.campaign}", {"shops": [self.second]}, {"If-Match": "*"})


def two_shops_one_card(stage):
    """An owner publishes a campaign for two shops; a customer collects at one, fills the card at the other, and redeems there."""
    brand = Brand(stage)
    owner = signed_in(stage, brand.owner, size=TABLET, at=f"/shop/{brand.shop}/campaign")
    owner.click("#more > summary")
    sees(owner, "fieldset", "Home shop")
    require(owner.locator(f"#branch-{brand.shop}").is_disabled(), "the home shop can be left out")
    owner.check(f"#branch-{brand.second}")
    owner.fill("#field-title", "Anywhere")
    owner.fill("#field-goal", "2")
    owner.fill("#field-reward", "A pot of tea")
    owner.click(SUBMIT)
    sees(owner, ".list .row", "Also at Second Tea")
    shown_at_both(stage, brand)
    phone = signed_in(stage, brand.customer)
    give(owner, brand, brand.shop)
    sees(phone, "stamp-card .count", "1/2")
    phone.reload()
    sees(phone, "stamp-card footer", "Also at Second Tea")
    clerk = signed_in(stage, brand.clerk.phone, size=TABLET)
    give(clerk, brand, None)
    phone.click("stamp-card a.cover")
    sees(phone, "#card-shops", "First Tea")
    sees(phone, "#card-shops", "Second Tea")
    phone.click("text=Get the reward")
    phone.click("text=Show the code")
    code = phone.inner_text("dialog shown-code .code").replace("-", "")
    clerk.goto(f"/counter/verify#{code}")
    sees(clerk, "#verify-result", "A pot of tea")
    clerk.click("text=Redeem now")
    sees(clerk, ".success", "Redeemed")
    sees(phone, ".success", "Enjoy!")
    for shop, stamps, rewards in ((brand.shop, 1, 0), (brand.second, 1, 1)):
        found = [len(brand.keeper.ask("GET", f"/v1/shops/{shop}/{what}")["items"]) for what in ("stamps", "redemptions")]
        require(found == [stamps, rewards], f"{shop} has {found}")
    # `shown_at_both` uses a browser without scripts. In it, requests for a page's scripts fail, which the browser reports.
    stage.expect_faults(*REFUSED)


def shown_at_both(stage, brand):
    """The pages of both shops and of the campaign say where it works."""
    found = next(each for each in brand.keeper.ask("GET", f"/v1/shops/{brand.shop}")["campaigns"] if each["title"] == "Anywhere")
    require([each["id"] for each in found["shops"]] == [brand.second], f"it is shared with {found.get('shops')}")
    for shop in (brand.shop, brand.second):
        page = stage.open(f"/s/{shop}", scripts=False)
        sees(page, ".list .row", "Anywhere")
        sees(page, ".list .row", "Also at Second Tea")
    page.goto(f"/c/{found['id']}")
    sees(page, "#campaign-shops", "First Tea")
    page.click("#campaign-shops >> text=Second Tea")
    page.wait_for_url(f"**/s/{brand.second}")


def give(page, brand, shop):
    """Somebody at the counter of a shop gives a stamp of the shared campaign by the customer's number."""
    page.goto("/counter")
    page.locator("#stamps .chip").first.wait_for()
    if shop:
        page.select_option("#workplace-choice", shop)
        page.locator("#stamps .chip").first.wait_for()
    if page.locator("#campaign").is_visible():
        page.select_option("#campaign", label="Anywhere")
    sees(page, "#campaign-shared", "Also at")
    page.fill("#phone", brand.customer)
    page.click("#phone-form [type=submit]")
    sees(page, "#given", "One stamp was given")


def owner_of_both_counters(stage):
    """An owner gives and undoes at the second shop, says there which shop hands a reward out, and sees each shop's day apart."""
    brand = Brand(stage, goal=2)
    brand.share()
    owner = signed_in(stage, brand.owner, size=TABLET, at="/counter")
    owner.select_option("#workplace-choice", brand.second)
    sees(owner, "#campaign-shared", "Also at First Tea")
    give_two(owner, brand)
    owner.click("#given button >> text=Undo")
    sees(owner, "#given", "taken back")
    until(lambda: not is_full(brand), "the stamps were not taken back")
    give_two(owner, brand)
    until(lambda: is_full(brand), "the card is not full")
    card = brand.cards()[0]["id"]
    code = brand.elsewhere().ask("POST", f"/v1/cards/{card}/redemption")["code"].replace("-", "")
    owner.goto(f"/counter/verify#{code}")
    sees(owner, "#verify-result", "One free drink")
    require(owner.input_value("#workplace-choice") == brand.second, "the shop where one stands is forgotten")
    owner.click("text=Redeem now")
    sees(owner, ".success", "Redeemed")
    owner.goto("/counter/today")
    sees(owner, "#today .row", "Ten cups")
    require(owner.locator("#today .row").count() == 2, "the second shop's day is not complete")
    owner.select_option("#workplace-choice", brand.shop)
    sees(owner, "#today", "Nothing yet today")
    stage.expect_faults(*REFUSED)


def two_tabs_at_two_shops(stage):
    """Staff work at two shops in two tabs: a choice in one tab moves no stamp of the other to another shop."""
    brand = Brand(stage, goal=9)
    brand.share()
    context = stage.context(size=TABLET)
    first = signed_in(stage, brand.owner, context, at="/counter")
    first.select_option("#workplace-choice", brand.shop)
    first.locator("#stamps .chip").first.wait_for()
    second = stage.open("/counter", context)
    second.select_option("#workplace-choice", brand.second)
    second.locator("#stamps .chip").first.wait_for()
    for path in ("/counter/today", "/counter"):
        first.goto(path)
        first.locator("#workplace-choice").wait_for()
        require(first.input_value("#workplace-choice") == brand.shop, f"another tab has moved {path} to its shop")
    require(stage.open("/counter", context).input_value("#workplace-choice") == brand.shop, "a new tab does not begin at the last shop")
    stage.expect_faults(*REFUSED)


def give_two(page, brand):
    page.fill("#phone", brand.customer)
    page.click("#stamps .chip >> nth=1")
    page.click("#phone-form [type=submit]")
    sees(page, "#given", "2 stamps were given")


def is_full(brand):
    return any(each["status"] == "full" for each in brand.cards())


def reward_of_another_brand(stage):
    """A card of a campaign that the chosen shop has no part in is redeemed at the campaign's own shop, if the person works there."""
    brand = Brand(stage, goal=1)
    brand.share()
    third = brand.town.open_shop(brand.keeper, "Third Tea", "3 Tea Road", 31.19, 121.41)
    customer = Person(brand.town, brand.customer)
    brand.clerk.ask("POST", f"/v1/campaigns/{brand.campaign}/stamps", {"phone": brand.customer})
    code = customer.ask("POST", f"/v1/cards/{brand.cards()[0]['id']}/redemption")["code"].replace("-", "")
    owner = signed_in(stage, brand.owner, size=TABLET, at="/counter/verify")
    owner.select_option("#workplace-choice", third)
    owner.fill("#code", code)
    owner.click("#verify-form [type=submit]")
    sees(owner, "#verify-result", "One free drink")
    owner.click("#verify-result .button.large")
    until(lambda: any(each["status"] == "redeemed" for each in brand.cards()), "the card is not redeemed")
    stage.expect_faults(*REFUSED)


def shop_leaves_a_campaign(stage):
    """The owner takes a shop out again, on the home shop's page, to which the other shop's list leads; an owner of one sees no boxes."""
    brand = Brand(stage)
    brand.share()
    owner = signed_in(stage, brand.owner, at=f"/shop/{brand.second}/campaigns")
    owner.click(".list .row")
    owner.wait_for_url(f"**/shop/{brand.shop}/campaign?id=*")
    owner.click("#more > summary")
    require(owner.is_checked(f"#branch-{brand.second}"), "the box of the shared shop is empty")
    owner.uncheck(f"#branch-{brand.second}")
    owner.click(SUBMIT)
    sees(owner, ".toast", "Saved.")
    require("shops" not in brand.keeper.ask("GET", f"/v1/campaigns/{brand.campaign}"), "it is shared still")
    alone = Shop(stage)
    page = signed_in(stage, alone.owner, at=f"/shop/{alone.shop}/campaign")
    page.locator("stamp-card .stamps").wait_for()
    require(page.locator("[id^=branch-]").count() == 0, "an owner of one shop sees boxes")


STORIES = [two_shops_one_card, owner_of_both_counters, two_tabs_at_two_shops, reward_of_another_brand, shop_leaves_a_campaign]
