"""What somebody misreads who uses the product for the first time: each story ends with the words or the state that help them on."""

from pages_people import REFUSED, Shop, require, sees, signed_in, until
from pages_stage import TABLET
from pages_stories_operator import upload
from pages_town import Unexpected

WEEK = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"]
SUBMIT = "main form [type=submit]"


def a_code_put_away_still_works(stage):
    """Closing the screen leaves the code alive for a customer who is still signing in; cancelling it is an act of its own."""
    shop = Shop(stage)
    staff = signed_in(stage, shop.owner, size=TABLET, at="/counter")

    def put_away():
        staff.click("#show-code")
        code = staff.inner_text("dialog shown-code .code")
        staff.click("dialog .screen-bar button")
        sees(staff, "#put-away", f"Code {code} still works, until")
        return code

    code = put_away()
    shop.elsewhere().ask("POST", "/v1/stamps", {"code": code})
    sees(staff, "#given", "One stamp was given")
    require(staff.locator("#put-away .note").count() == 0, "a used code is said to work")
    code = put_away()
    staff.click("#put-away >> text=Show it again")
    require(staff.inner_text("dialog shown-code .code") == code, "another code is shown again")
    staff.click("dialog .screen-bar button")
    staff.click("#put-away >> text=Cancel the code")
    sees(staff, ".toast", "The code works no more")
    try:
        shop.elsewhere().ask("POST", "/v1/stamps", {"code": code})
    except Unexpected:
        return
    require(False, "a cancelled code has worked")


def bonus_hours_at_the_counter(stage):
    """In bonus hours the counter says the factor, and the number that the customer gets."""
    shop = Shop(stage, goal=10)
    bonuses = [{"days": WEEK, "from": "00:00", "to": "24:00", "factor": 2}]
    shop.keeper.ask("PATCH", f"/v1/campaigns/{shop.campaign}", {"bonuses": bonuses}, {"If-Match": "*"})
    staff = signed_in(stage, shop.owner, size=TABLET, at="/counter")
    staff.click("#stamps button >> nth=2")
    staff.click("#show-code")
    sees(staff, "dialog", "Scan for 6 stamps")
    sees(staff, "dialog", "Bonus hours: 2 times the stamps")
    shop.elsewhere().ask("POST", "/v1/stamps", {"code": staff.inner_text("dialog shown-code .code")})
    sees(staff, "dialog", "6 stamps were given")
    require(shop.cards()[0]["stamps"] == 6, "the counter says another number than the card")


def a_picture_that_is_gone(stage):
    """A picture that was taken down is a broken picture nowhere."""
    shop = Shop(stage)
    image = upload(stage, shop.keeper)
    path = f"/v1/shops/{shop.shop}"
    shop.keeper.ask("PATCH", path, {"images": [image]}, {"If-Match": "*"})
    page = signed_in(stage, shop.owner, at="/shops")
    page.locator("#my-shops img").wait_for()
    shop.keeper.ask("DELETE", f"/v1/images/{image}")
    visitor = stage.context().new_page()
    visitor.goto(f"/s/{shop.shop}")
    require(visitor.locator("main img").count() == 0, "the public page has the picture")
    other = signed_in(stage, shop.owner, at="/shops")
    other.locator("#my-shops .thumb .icon").wait_for()
    other.goto(f"/shop/{shop.shop}/edit")
    sees(other, ".picture-list", "Picture 1 is not there any more")
    stage.expect_faults(*REFUSED)


def an_offer_to_somebody_unknown(stage):
    """The form says that a colleague signs in first; an open offer shows the end of the number that was typed."""
    shop = Shop(stage)
    page = signed_in(stage, shop.owner, at=f"/shop/{shop.shop}/staff")
    sees(page, "#shop-page", "must have signed in with this number before you send")
    page.fill("#field-phone", "13999998765")
    page.click(SUBMIT)
    sees(page, ".toast", "they must sign in first")
    sees(page, "#offers", "Counter, to …8765")
    sees(page, "#shop-page", "send it again")
    page.reload()
    sees(page, "#offers", "…8765")


def titles_follow_the_shop(stage):
    """Today names each campaign, also after another shop was chosen."""
    shop = Shop(stage, title="First card")
    shop.stamp(1)
    second = shop.town.open_shop(shop.keeper, "Second shop", "1 Tea Road", 31.23, 121.47)
    campaign = shop.town.publish(shop.keeper, second, "Second card", 5, "A cup")
    shop.keeper.ask("POST", f"/v1/campaigns/{campaign}/stamps", {"phone": shop.customer, "stamps": 1})
    page = signed_in(stage, shop.owner, size=TABLET, at="/counter/today")
    for name, title in (("Second shop", "Second card"), ("好喝奶茶店", "First card")):
        page.select_option("#workplace-choice", label=name)
        sees(page, "#today .meta", title)


def a_shop_without_a_place(stage):
    """Where the place is missing the form says what to do."""
    page = signed_in(stage, stage.town.phone(), at="/shops")
    page.click("#open-shop")
    page.fill("#field-name", "Tea")
    page.click(SUBMIT)
    sees(page, "main form > .error", "type the place or use the place where you are")


def the_certificate_is_checked(stage):
    """The certificate of an erasure is checked where the page says, and a changed one is refused."""
    shop = Shop(stage)
    page = signed_in(stage, shop.customer, at="/me")
    page.click("#erase")
    page.click("dialog .danger")
    with page.expect_download() as saved:
        page.click("text=Save this certificate")
    with open(saved.value.path(), encoding="utf-8") as file:
        certificate = file.read()
    require(page.locator("main a[href='/proof']").count() == 1, "nothing leads to the check")
    page.goto("/proof")

    def judged(text):
        page.locator("#verdict").evaluate("each => each.replaceChildren()")
        page.locator("#receipt").set_input_files({"name": "greentea-erasure.txt", "mimeType": "text/plain", "buffer": text.encode()})
        page.locator("#verdict .note").wait_for()
        return page.locator("#verdict").inner_text()

    require("The certificate is right" in judged(certificate), "a right certificate is refused")
    lines = certificate.split("\n")
    size, position = lines[5], lines[1].split(": ")[1]
    require("somebody changed it" in judged(certificate.replace(f"\n{size}\n", f"\n{int(size) + 1}\n")), "a changed size is accepted")
    late = certificate.replace(f": {position}\n", f": {int(size) + 1}\n")
    require("older than the erasure" in judged(late), "a position that the checkpoint does not cover is accepted")
    require("another log" in judged(certificate.replace(lines[4] + "\n", "elsewhere.example/log\n", 1)), "another log is accepted")
    stage.expect_faults(*REFUSED)


def a_milestone_on_the_card(stage):
    """A reward on the way is on the card in the wallet and, once it is reached, where the stamps were collected."""
    shop = Shop(stage)
    path = f"/v1/campaigns/{shop.campaign}"
    shop.keeper.ask("PATCH", path, {"milestones": [{"at": 2, "reward": "A cookie"}]}, {"If-Match": "*"})
    page = signed_in(stage, shop.customer, at=f"/s/{shop.code()}")
    page.click("#collect-button")
    sees(page, "stamp-card .milestone", "At 2 stamps: A cookie")
    page.goto(f"/s/{shop.code()}")
    page.click("#collect-button")
    sees(page, "stamp-card .milestone", "Yours now: A cookie")
    page.goto("/wallet")
    sees(page, "stamp-card .milestone", "Yours now: A cookie")
    require(page.locator("stamp-card .stamps .reward").count() == 2, "the card does not mark the place")
    page.goto(f"/s/{shop.code()}")
    page.click("#collect-button")
    page.click("text=Get A cookie")
    page.wait_for_url("**/redeem?milestone=2")


def redeeming_on_a_phone(stage):
    """On a phone the button that redeems is above the bar at the lower edge as soon as the code was looked at."""
    shop = Shop(stage)
    shop.stamp(5)
    card = shop.cards()[0]["id"]
    code = shop.elsewhere().ask("POST", f"/v1/cards/{card}/redemption")["code"]
    page = signed_in(stage, shop.owner, size={"width": 390, "height": 844}, at="/counter/verify")
    page.fill("#code", code)
    page.click("#verify-form [type=submit]")
    page.locator("text=Redeem now").wait_for()
    bar = page.locator(".tabs").bounding_box()
    until(lambda: (lambda box: box["y"] + box["height"] <= bar["y"])(page.locator("text=Redeem now").bounding_box()),
          "the button is under the bar")


STORIES = [
    a_code_put_away_still_works, bonus_hours_at_the_counter, a_picture_that_is_gone, an_offer_to_somebody_unknown, titles_follow_the_shop,
    a_shop_without_a_place, the_certificate_is_checked, a_milestone_on_the_card, redeeming_on_a_phone,
]
