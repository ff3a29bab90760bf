"""Collecting, redeeming and the counter: what is promised, told by several browsers at once; and the pages of signed-in people."""

from pages_people import REFUSED, Shop, left_nothing, let_in, require, sees, sign_in, signed_in, until
from pages_sheets import ENDS, Sheet
from pages_stage import TABLET


def two_screens(stage):
    """The counter shows a code, the customer collects it, and both screens and the wallet in another tab move by themselves.

    The next code waits for the next customer: a free code on the screen would be anybody's.
    """
    shop = Shop(stage)
    staff, context = signed_in(stage, shop.owner, dark=True), stage.context()
    wallet = signed_in(stage, shop.customer, context)
    staff.goto("/counter")
    staff.click("#stamps button >> nth=1")
    staff.click("#show-code")
    first = staff.inner_text("dialog shown-code .code")
    phone = context.new_page()
    phone.goto(f"/s/{first.replace('-', '')}")
    require(shop.cards() == [], "opening a code's page has changed something")
    phone.click("#collect-button")
    sees(phone, "h1", "2 stamps collected")
    sees(staff, "dialog", "2 stamps were given")
    sees(wallet, "stamp-card .count", "2/5")
    card = shop.cards()[0]["id"]
    sees(staff, "dialog #receiver", f"To card …{card[-6:].upper()}")
    issued = len(shop.keeper.ask("GET", f"/v1/shops/{shop.shop}/codes")["items"])
    require(issued == 1 and staff.locator("dialog shown-code").count() == 0, "the next code was put up by itself")
    staff.click("dialog button >> text=New code for one stamp")
    sees(staff, "dialog", "Scan for one stamp")
    require(staff.inner_text("dialog shown-code .code") != first, "the next customer gets the code that was used")
    require(staff.evaluate("document.activeElement.matches('dialog .lead')"), "the focus is lost with the button")
    staff.locator("dialog button", has_text="Undo").click()
    sees(staff, "dialog", "taken back")
    sees(wallet, "stamp-card .count", "0/5")


def signed_out_collects(stage):
    """Somebody who is not signed in scans, signs in, and comes back to the collected stamp without another tap."""
    shop = Shop(stage)
    page = stage.context().new_page()
    page.goto(f"/s/{shop.code()}")
    page.click("#collect-button")
    page.wait_for_url("**/sign-in**")
    sign_in(page, shop.customer)
    sees(page, "h1", "One stamp collected")
    require(shop.cards()[0]["stamps"] == 1, "the stamp is not on the card")
    stage.expect_faults(*REFUSED)


def reward(stage):
    """A full card becomes its reward: code on the customer's screen, redeemed at the counter, both told, and taken back again."""
    shop = Shop(stage)
    shop.stamp(5)
    phone, staff = signed_in(stage, shop.customer), signed_in(stage, shop.owner, size=TABLET)
    phone.click("text=Get the reward")
    phone.click("text=Show the code")
    code = phone.inner_text("dialog shown-code .code")
    staff.goto(f"/r/{code.replace('-', '')}")
    staff.wait_for_url("**/counter/verify")
    sees(staff, "#verify-result", "One free drink")
    require(shop.cards()[0]["status"] == "full", "looking at a code has redeemed it")
    staff.click("text=Redeem now")
    sees(staff, ".success", "Redeemed")
    sees(phone, ".success", "Enjoy!")
    staff.click("text=Undo")
    staff.click("dialog .chip >> nth=0")
    staff.click("dialog [type=submit]")
    sees(staff, ".toast", "Taken back")
    require(shop.cards()[0]["status"] == "full", "the reversal is not on the card")
    stage.expect_faults(*REFUSED)


def told(phone):
    """A number in China as the counter tells it to the person who has typed it."""
    return f"+86 {phone[3:6]} {phone[6:10]} {phone[10:]}"


def by_number(stage):
    """Stamps by number land on the customer's screen; today's list has them and takes them back with a reason.

    The counter says which number got them, whole until the next customer's turn, whether the card is new, and how many stamps it has.
    """
    shop = Shop(stage)
    wallet, staff = signed_in(stage, shop.customer), signed_in(stage, shop.owner, size=TABLET, at="/counter")
    for stamps, text in ((1, "who begins a card with 1 of 5 stamps"), (2, "whose card has 2 of 5 stamps now")):
        staff.fill("#phone", shop.customer.removeprefix("+86"))
        staff.click("#phone-form [type=submit]")
        sees(staff, "#given", "One stamp was given")
        sees(staff, "#given .hint", f"To {told(shop.customer)}, {text}")
        sees(wallet, "stamp-card .count", f"{stamps}/5")
    staff.fill("#phone", "12")
    staff.click("#phone-form [type=submit]")
    sees(staff, "#phone-form [role=alert]", "This is not a phone number")
    require(told(shop.customer) not in staff.inner_text("main"), "the next customer can read the whole number of the one before")
    sees(staff, "#given .hint", f"To …{shop.customer[-4:]}, whose card has 2 of 5 stamps now")
    sees(staff, "#given .hint", f"Card …{shop.cards()[0]['id'][-6:].upper()}.")
    staff.goto("/counter/today")
    staff.click("#today .row button >> nth=0")
    staff.fill("#dialog-answer", "Refunded")
    staff.click("dialog [type=submit]")
    sees(staff, "#today .badge", "Taken back")
    sees(wallet, "stamp-card .count", "1/5")
    stage.expect_faults(*REFUSED)


def waits(page, condition, text):
    """Goes on when the page has done something; the answers of routes come meanwhile."""
    for _ in range(150):
        if condition():
            return
        page.wait_for_timeout(100)
    require(False, text)


def nothing_typed(stage):
    """An empty field is asked for by its own name, and after Undo no message says any more that stamps were given."""
    shop = Shop(stage)
    staff = signed_in(stage, shop.owner, size=TABLET, at="/counter")
    staff.locator("#stamps .chip").first.wait_for()
    for form, text in (("#phone-form", "phone number first"), ("#paper-form", "printed on the paper card first")):
        staff.click(f"{form} [type=submit]")
        sees(staff, f"{form} [role=alert]", text)
    sees(staff, "#phone-form .hint", "China")
    staff.fill("#phone", shop.customer)
    staff.click("#phone-form [type=submit]")
    sees(staff, ".toast", "One stamp given")
    staff.click("#given >> text=Undo")
    sees(staff, ".toast", "One stamp was taken back")
    require(staff.locator(".toast", has_text="given").count() == 0, "the stamp is said to be given still")


def today_tells_givings_apart(stage):
    """A row is one giving, also onto two cards; it says who gave it and to which cards, and what is spent cannot be taken back."""
    shop = Shop(stage, goal=2)
    clerk = stage.town.person()
    shop.keeper.ask("PUT", f"/v1/shops/{shop.shop}/staff/{clerk.account}", {"role": "counter"})
    offer = clerk.ask("GET", "/v1/me/invitations")["items"][0]["id"]
    clerk.ask("POST", f"/v1/me/invitations/{offer}/acceptance")
    gifts = f"/v1/campaigns/{shop.campaign}/stamps"
    clerk.ask("POST", gifts, {"phone": shop.customer, "stamps": 3})
    ends = {each["status"]: each["id"][-6:].upper() for each in shop.cards()}
    staff = signed_in(stage, shop.owner, size=TABLET, at="/counter/today")
    sees(staff, "#today .row", "3 stamps")
    require(staff.locator("#today .row").count() == 1, "one giving has several rows")
    for text in ("By Person ", f"…{ends['full']}", f"…{ends['collecting']}"):
        sees(staff, "#today .row", text)
    shop.keeper.ask("POST", gifts, {"phone": stage.town.phone(), "stamps": 1})
    sees(staff, "#today .row >> nth=0", "By you")
    require(staff.locator("#today .row button").count() == 2, "a giving cannot be taken back")
    which = f"3 stamps, card …{ends['full']} and …{ends['collecting']}"
    staff.get_by_role("button", name=f"Take back: {which}, ").click()
    sees(staff, "dialog h2", f"Take back: {which}?")
    staff.keyboard.press("Escape")
    full = next(each["id"] for each in shop.cards() if each["status"] == "full")
    code = shop.elsewhere().ask("POST", f"/v1/cards/{full}/redemption")["code"]
    shop.keeper.ask("POST", "/v1/redemptions", {"code": code})
    staff.reload()
    sees(staff, "#today .row >> nth=1", "Card redeemed")
    require(staff.locator("#today .row >> nth=1").locator("button").count() == 0, "stamps of a redeemed card seem to be reversible")
    require(staff.locator("#today .row >> nth=0").locator("button").count() == 1, "the other giving cannot be taken back")
    stage.expect_faults(*REFUSED)


def the_campaign_is_chosen(stage):
    """One campaign is named; of several none is taken for granted, and the choice outlives a reload, at each shop its own."""
    shop = Shop(stage, title="Ten cups")
    staff = signed_in(stage, shop.owner, size=TABLET, at="/counter")
    sees(staff, "#campaign-name", "Ten cups")
    second = shop.town.publish(shop.keeper, shop.shop, "Three pots", 3, "A pot")
    staff.reload()
    staff.locator("#campaign").wait_for()
    require(staff.input_value("#campaign") == "", "a campaign was chosen by nobody")
    staff.click("#show-code")
    sees(staff, ".toast", "Choose first the campaign")
    require(staff.locator("dialog").count() == 0, "a code of some campaign is shown")
    staff.fill("#phone", shop.customer)
    staff.click("#phone-form [type=submit]")
    sees(staff, "#phone-form [role=alert]", "Choose first the campaign")
    require(shop.cards() == [], "a stamp of some campaign was given")
    staff.select_option("#campaign", label="Three pots")
    staff.click("#phone-form [type=submit]")
    sees(staff, "#given", "One stamp was given")
    require(shop.cards()[0]["goal"] == 3, "the stamp is of another campaign")
    staff.reload()
    staff.locator("#campaign").wait_for()
    require(staff.input_value("#campaign") == second, "the choice is forgotten")
    staff.click("#show-code")
    sees(staff, "dialog", "Three pots")
    elsewhere = shop.town.open_shop(shop.keeper, "Second shop", "1 Tea Road", 31.23, 121.47)
    for title in ("Two cakes", "Six cakes"):
        shop.town.publish(shop.keeper, elsewhere, title, 6, "A cake")
    staff.reload()
    for name, title, chosen in (("Second shop", "Six cakes", ""), ("好喝奶茶店", "Three pots", second)):
        staff.select_option("#workplace-choice", label=name)
        staff.locator("#campaign option", has_text=title).wait_for(state="attached")
        require(staff.input_value("#campaign") == chosen, f"the choice of another shop counts at {name}")
        staff.select_option("#campaign", label=title)
    stage.expect_faults(*REFUSED)


def badge(stage):
    """The badge on the customer's screen gives stamps at the counter, and says so on both: on a phone without scrolling."""
    shop = Shop(stage)
    phone = signed_in(stage, shop.customer, size={"width": 390, "height": 844})
    with phone.expect_response("**/v1/me/badge") as answer:
        phone.goto("/badge")
    phone.wait_for_selector("shown-code img")
    shop.keeper.ask("POST", f"/v1/campaigns/{shop.campaign}/stamps", {"badge": answer.value.json()["payload"], "stamps": 3})
    sees(phone, "#badge-news", "3 stamps")
    news, picture = (phone.locator(each).bounding_box() for each in ("#badge-news .note", "shown-code img"))
    require(0 <= news["y"] and news["y"] + news["height"] <= picture["y"], f"what has landed is not above the picture: {news}, {picture}")
    bar = phone.locator(".tabs").bounding_box()
    require(news["y"] + news["height"] <= bar["y"], "what has landed is not on the screen")


def erasure(stage):
    """Erasing an account ends with its certificate, and leaves nothing of it in the browser."""
    shop = Shop(stage)
    shop.stamp(2)
    page = signed_in(stage, shop.customer, at="/me")
    page.click("#erase")
    page.click("dialog .danger")
    sees(page, "h1", "Your account is erased")
    page.locator("dd").nth(2).wait_for()
    require(int(page.inner_text("dd >> nth=1")) > 0, "the certificate names no position")
    with page.expect_download():
        page.click("main button >> text=Save this certificate")
    left_nothing(page)
    page.goto("/wallet")
    page.wait_for_url("**/sign-in**")
    stage.expect_faults(*REFUSED)


STORIES = [
    two_screens, signed_out_collects, reward, by_number, nothing_typed, today_tells_givings_apart, the_campaign_is_chosen,
    badge, erasure,
]


def enters(who):
    """Signs a context in before its page is looked at."""
    def enter(stage, context):
        let_in(stage, getattr(stage.town, who).phone, context).close()
    return enter


def looker(stage, context):
    """Somebody with two stamps, whatever the stories before have done."""
    town = stage.town
    town.looker = town.person("Ann")
    town.stamp(town.looker, 2)
    let_in(stage, town.looker.phone, context).close()


def keeper(stage, context):
    """Somebody at whose counter two stamps and one reward were given."""
    shop = Shop(stage, goal=2)
    full = shop.stamp(2)["card"]["id"]
    code = shop.elsewhere().ask("POST", f"/v1/cards/{full}/redemption")["code"]
    shop.keeper.ask("POST", "/v1/redemptions", {"code": code})
    let_in(stage, shop.owner, context).close()


def card(town):
    return town.looker.ask("GET", "/v1/me/cards")["items"][0]["id"]


CUSTOMER, OWNER = enters("customer"), enters("owner")
# Patterns of times and phone numbers that differ between runs, with the placeholders that replace them in snapshots.
TIMES = [(r"\b\d{1,2}:\d\d(\s[AP]M)?", "<time>"), (r"\+86138\d{8}", "<number>")]
SHEETS = [
    Sheet("sign-in", "/sign-in", "#phone"),
    Sheet("wallet", "/wallet", "stamp-card", looker),
    Sheet("card", lambda town: f"/wallet/{card(town)}", ".list .row", looker, masks=[ENDS]),
    Sheet("redeem", lambda town: f"/wallet/{card(town)}/redeem", "stamp-card", looker),
    Sheet("redemption-link", "/r/K7QF2M9X", ".code"),
    Sheet("scan", "/scan", "code-scanner .hint"),
    Sheet("badge", "/badge", "shown-code img", CUSTOMER, masks=TIMES),
    Sheet("messages", "/messages", "#messages .empty", CUSTOMER),
    Sheet("me", "/me", "#sessions .row", looker, masks=TIMES),
    Sheet("counter", "/counter", "#stamps .chip", OWNER),
    Sheet("verify", "/counter/verify", "#verify-form", OWNER),
    Sheet("today", "/counter/today", "#today .row", keeper, masks=[*TIMES, ENDS]),
]
