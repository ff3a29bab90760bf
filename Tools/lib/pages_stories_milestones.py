"""Smaller rewards on the way: published in the editor, collected to, handed out at the counter; the card goes on until it is full."""

from pages_people import REFUSED, Shop, let_in, require, sees, signed_in, unfold, until
from pages_sheets import ENDS, Sheet
from pages_stage import TABLET
from pages_town import Unexpected

SUBMIT = "main form [type=submit]"
COOKIE = "[data-milestone='2']"


def writes(page, shop, milestones):
    """Fills in the editor of a new campaign of four stamps, and publishes it."""
    page.goto(f"/shop/{shop.shop}/campaign")
    page.fill("#field-title", "Four cups")
    page.fill("#field-goal", "4")
    page.fill("#field-reward", "A free cup")
    unfold(page)
    page.fill("#field-milestones", milestones)
    page.click(SUBMIT)


def published(shop):
    return [each for each in shop.keeper.ask("GET", f"/v1/shops/{shop.shop}")["campaigns"] if each["title"] == "Four cups"]


def collects(page, code, text):
    page.goto(f"/s/{code}")
    page.click("#collect-button")
    sees(page, "h1", text)


def asks(page, card, what):
    """Opens the reward of a milestone from its card, and shows its code."""
    page.goto(f"/wallet/{card}")
    page.click(f"{COOKIE} a")
    sees(page, "#redeem h2", what)
    page.click("text=Show the code")
    sees(page, "dialog", what)
    return page.inner_text("dialog shown-code .code")


def hands_out(staff, code, what):
    staff.goto(f"/r/{code.replace('-', '')}")
    staff.wait_for_url("**/counter/verify")
    sees(staff, "#verify-result", what)
    staff.click("text=Redeem now")
    sees(staff, ".success", what)


def on_the_way(stage):
    """An owner publishes a cookie on the way; a customer collects to it, has it at the counter, and goes on until the card is full."""
    shop = Shop(stage)
    staff = signed_in(stage, shop.owner, size=TABLET)
    writes(staff, shop, "2 A cookie\n３：A <b>sticker</b>")
    sees(staff, ".list .row", "Four cups")
    shop.campaign = published(shop)[0]["id"]
    phone = signed_in(stage, shop.customer, at=f"/c/{shop.campaign}")
    sees(phone, ".facts", "A <b>sticker</b>")
    require(phone.locator(".stamps .reward").count() == 3, "the campaign's page does not mark the rewards on the way")
    collects(phone, shop.code(), "One stamp collected")
    card = shop.cards()[0]["id"]
    phone.goto(f"/wallet/{card}/redeem?milestone=2")
    sees(phone, "#redeem .note", "not reached yet")
    collects(phone, shop.code(), "One stamp collected")
    sees(phone, "stamp-card .milestone", "A cookie")
    code = asks(phone, card, "A cookie")
    hands_out(staff, code, "A cookie")
    sees(phone, ".success", "A cookie")
    phone.goto(f"/wallet/{card}")
    sees(phone, COOKIE, "Handed out")
    sees(phone, "stamp-card .count", "2/4")
    require(phone.locator("[data-milestone] a").count() == 0, "a reward that was handed out can be had again")
    phone.goto(f"/wallet/{card}/redeem?milestone=2")
    sees(phone, "#redeem .note", "redeemed already")
    phone.goto(f"/wallet/{card}")
    shop.stamp(2)
    phone.locator("stamp-card.full").wait_for()
    sees(phone, "[data-milestone='3'] a", "Get it")
    sees(phone, COOKIE, "Handed out")
    goes_on(phone, staff, shop)
    stage.expect_faults(*REFUSED)


def goes_on(phone, staff, shop):
    """The full card becomes its reward as any other, and the day's list names both rewards."""
    phone.click("text=Get the reward")
    phone.click("text=Show the code")
    hands_out(staff, phone.inner_text("dialog shown-code .code"), "A free cup")
    sees(phone, ".success", "A free cup")
    require(shop.cards()[0]["status"] == "redeemed", "the full card was not redeemed")
    staff.goto("/counter/today")
    staff.click("[data-kind=redemptions]")
    sees(staff, "#today .row", "The reward at 2 stamps")
    sees(staff, "#today .row", "One reward")


def taken_back(stage):
    """A reward on the way that was handed out by mistake is taken back at the counter; the customer can have it again."""
    shop = Shop(stage)
    shop.campaign = with_cookie(shop)
    card = shop.stamp(2)["card"]["id"]
    phone, staff = signed_in(stage, shop.customer), signed_in(stage, shop.owner, size=TABLET)
    hands_out(staff, asks(phone, card, "A cookie"), "A cookie")
    staff.click("text=Undo")
    staff.click("dialog .chip >> nth=0")
    staff.click("dialog [type=submit]")
    sees(staff, ".toast", "Taken back")
    phone.goto(f"/wallet/{card}")
    sees(phone, ".list", "A milestone's reward taken back")
    require(asks(phone, card, "A cookie") != "", "the reward that was taken back cannot be had")
    stage.expect_faults(*REFUSED)


def bad_milestones(stage):
    """A reward at the goal or beyond, two at the same stamp, a line without a number: refused at its field, and nothing is published."""
    shop = Shop(stage)
    page = signed_in(stage, shop.owner)
    for text in ("4 A cookie", "49 A cookie", "0 A cookie", "2 A cookie\n2 A sticker", "A cookie", "2", "2 " + "x" * 101):
        writes(page, shop, text)
        until(lambda: page.get_attribute("#field-milestones", "aria-invalid") == "true", f"{text!r} was not refused at its field")
        sees(page, "main form > .error", "Rewards on the way")
        require(page.input_value("#field-milestones") == text, "what was typed is lost")
        require(published(shop) == [], f"{text!r} was published")
    # After the refusals, a valid text is accepted, and the editor shows it as it was written.
    page.fill("#field-milestones", "3 A cookie")
    page.click(SUBMIT)
    page.click(".list .row >> text=Four cups")
    until(lambda: page.input_value("#field-milestones") == "3 A cookie", "the editor does not show what was published")
    page.fill("#field-goal", "3")
    page.click(SUBMIT)
    page.locator("main form > .error:not([hidden])").wait_for()
    require(published(shop)[0]["goal"] == 4, "the goal has come down to a reward on the way")
    refused(shop)
    stage.expect_faults(*REFUSED)


def refused(shop):
    """Nobody gets a reward that is ahead, whatever they ask for."""
    shop.campaign = published(shop)[0]["id"]
    card = shop.stamp(2)["card"]["id"]
    for milestone in (3, 2, 4):
        try:
            shop.elsewhere().ask("POST", f"/v1/cards/{card}/redemption", {"milestone": milestone})
        except Unexpected as found:
            require(found.status in (400, 409, 422), str(found))
        else:
            require(False, f"a reward at {milestone} stamps was had with 2")


def with_cookie(shop):
    """A campaign of four stamps with rewards at two and three."""
    campaign = shop.keeper.ask("GET", f"/v1/campaigns/{shop.campaign}")
    return shop.keeper.ask("POST", f"/v1/shops/{shop.shop}/campaigns", {
        "kind": "stampCard", "title": "Four cups", "details": "", "goal": 4, "reward": "A free cup", "startsAt": campaign["startsAt"],
        "endsAt": campaign["endsAt"], "milestones": [{"at": 2, "reward": "A cookie"}, {"at": 3, "reward": "A sticker"}]})["id"]


STORIES = [on_the_way, taken_back, bad_milestones]


def collector(stage, context):
    """Somebody whose card has reached one reward on the way, and has another before it."""
    shop = Shop(stage, name="Lucky Tea")
    shop.campaign = with_cookie(shop)
    stage.town.on_the_way = shop.stamp(2)["card"]["id"]
    let_in(stage, shop.customer, context).close()


SHEETS = [
    Sheet("card-milestones", lambda town: f"/wallet/{town.on_the_way}", COOKIE, collector, masks=[ENDS]),
    Sheet("redeem-milestone", lambda town: f"/wallet/{town.on_the_way}/redeem?milestone=2", "stamp-card", collector),
]
