"""The owner's pages: opening day, roles, an edit conflict, the end of a campaign, a shop that changes hands, and one that closes."""

import os

from pages_people import REFUSED, Shop, let_in, require, sees, signed_in, unfold, until
from pages_sheets import Sheet, overflowing
from pages_stage import TABLET
from pages_town import HOSTILE, Unexpected

PICTURE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "Sources", "WebPages", "Assets", "icon-192.png")
SUBMIT = "main form [type=submit]"
PLACES = ("", "/campaigns", "/edit", "/staff", "/papers", "/closing", "/campaign")


def opening_day(stage):
    """An owner opens a shop, publishes a campaign and invites a member, who accepts on another device and shows a code."""
    member = stage.town.phone()
    theirs = signed_in(stage, member)
    context = stage.context(size=TABLET, geolocation={"latitude": 31.2304, "longitude": 121.4737}, permissions=["geolocation"])
    mine = signed_in(stage, stage.town.phone(), context, at="/me")
    mine.click("main a[href='/shops']")
    shop = opens(mine)
    publishes(mine)
    mine.click(".segments >> text=Staff")
    mine.fill("#field-phone", member.removeprefix("+86"))
    mine.click(SUBMIT)
    sees(mine, "#offers", "Counter")
    theirs.goto("/shops")
    theirs.click("#shops .list button >> text=Accept")
    theirs.click("dialog button >> text=Accept")
    sees(theirs, "#my-shops", "Counter")
    theirs.goto("/counter")
    theirs.click("#show-code")
    sees(theirs, "dialog shown-code .code", "-")
    mine.reload()
    sees(mine, "#staff", "one open code")
    require(mine.locator(".bar a[href='/shops']").count() == 1, "the header does not lead to the shops")
    only_looks(theirs, shop)
    stage.expect_faults(*REFUSED)


def opens(page):
    """Fills in the form of a new shop, first without a phone number. The path of its page."""
    page.click("#open-shop")
    page.fill("#field-name", "山间茶铺")
    page.fill("#field-address", "1 Tea Road")
    page.click("text=Use the place where I am")
    until(lambda: page.input_value("#field-location") == "31.2304, 121.4737", "the place was not filled in")
    require(page.input_value("#field-region") == "CN", "the country is not that of the owner's number")
    page.select_option("#field-timeZone", "Asia/Shanghai")
    page.click("text=Add hours")
    page.set_input_files("#field-images", PICTURE)
    page.locator(".picture-list img").wait_for()
    page.click(SUBMIT)
    sees(page, "main form > .error", "Phone of the shop")
    require(page.get_attribute("#field-phone", "aria-invalid") == "true", "the refused field is not marked")
    page.fill("#field-phone", "021-5555 0100")
    page.click(SUBMIT)
    page.wait_for_url("**/shop/shop_*")
    return page.evaluate("location.pathname")


def publishes(page):
    page.click("text=New campaign")
    page.fill("#field-title", "Three cups")
    page.fill("#field-goal", "3")
    page.fill("#field-reward", "")
    sees(page, "stamp-card", "Reward: not named yet")
    page.fill("#field-reward", "A free cup")
    unfold(page)
    page.fill("#field-welcomeStamps", "1")
    sees(page, "stamp-card", "Three cups")
    sees(page, "stamp-card .count", "2/3")
    page.click(SUBMIT)
    sees(page, ".list .row", "Three cups")


def only_looks(page, shop):
    """A member of the counter sees no editor, and hears whom to ask."""
    page.goto(shop)
    sees(page, ".list .row", "Three cups")
    require(page.locator("text=New campaign").count() == 0, "the counter sees an editor")
    for place in PLACES[2:]:
        page.goto(shop + place)
        sees(page, "#shop-page", "Not for your role")
        require(page.locator("#shop-page form").count() == 0, f"{place} has a form for the counter")


def edit_conflict(stage):
    """Two tabs edit a shop: the second hears of it, keeps what was typed in it, gets the rest, and then wins. Its own save is its own."""
    shop = Shop(stage)
    context = stage.context()
    one = signed_in(stage, shop.owner, context)
    two = context.new_page()
    for page in (one, two):
        page.goto(f"/shop/{shop.shop}/edit")
        page.fill("#field-name", "First" if page is one else "Second")
    one.fill("#field-phone", "010-1234 5678")
    one.click(SUBMIT)
    sees(one, ".toast", "Saved.")
    two.press("#field-name", "Enter")
    sees(two, "main form > .error", "Somebody else saved")
    sees(two, "main form > .error", "Name of the shop")
    require(two.input_value("#field-name") == "Second", "what was typed is lost")
    require(two.input_value("#field-phone") == "+861012345678", "what the other tab saved is not shown")
    require(state(shop)["name"] == "First", "a refused edit was made")
    two.click(SUBMIT)
    sees(two, ".toast", "Saved.")
    require((state(shop)["name"], state(shop)["phone"]) == ("Second", "+861012345678"), "the second save lost something")
    shop.keeper.ask("PATCH", f"/v1/shops/{shop.shop}", {"phone": "+86 10 8765 4321"}, {"If-Match": "*"})
    two.fill("#field-name", "Third")
    two.click(SUBMIT)
    sees(two, "main form > .error", "Somebody else saved")
    require("Both of you" not in two.inner_text("main form > .error"), "what this tab has saved is called somebody else's change")
    stage.expect_faults(*REFUSED)


def state(shop):
    return shop.keeper.ask("GET", f"/v1/shops/{shop.shop}")


def opening_hours(stage):
    """Hours are added, saved in the shop's own time, and taken away; midnight ends the day."""
    shop = Shop(stage)
    page = signed_in(stage, shop.owner, at=f"/shop/{shop.shop}/edit")
    page.click("text=Add hours")
    page.click(".hours .chip >> nth=0")
    page.fill("#field-openingHours-0-to", "00:00")
    page.click(SUBMIT)
    sees(page, ".toast", "Saved.")
    days = ["tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"]
    require(state(shop)["openingHours"] == [{"days": days, "from": "09:00", "to": "24:00"}], f"saved {state(shop)['openingHours']}")
    page.click("text=Remove >> nth=0")
    page.click(SUBMIT)
    until(lambda: state(shop)["openingHours"] is None, "the hours are still there")


def end_and_reopen(stage):
    """A campaign is edited, ended with a question before it, and reopened."""
    shop = Shop(stage)
    page = signed_in(stage, shop.owner, at=f"/shop/{shop.shop}/campaigns")
    page.click(".list .row")
    before = shop.keeper.ask("GET", f"/v1/campaigns/{shop.campaign}")
    page.fill("#field-reward", "Two free drinks")
    page.click(SUBMIT)
    sees(page, ".toast", "Saved.")
    after = shop.keeper.ask("GET", f"/v1/campaigns/{shop.campaign}")
    require(after == before | {"reward": "Two free drinks"}, "the edit changed something else")
    page.click("text=End this campaign")
    page.click("dialog .danger")
    sees(page, ".note", "Over since")
    require(not shop.keeper.ask("GET", f"/v1/campaigns/{shop.campaign}")["running"], "the campaign runs on")
    page.click("main button >> text=Reopen")
    sees(page, ".toast", "runs again")
    require(shop.keeper.ask("GET", f"/v1/campaigns/{shop.campaign}")["running"], "the campaign does not run")


def changes_that_were_not_saved(stage):
    """Leaving changes that were not saved is asked about: of a campaign, a new campaign, a shop and a new shop; saved ones are not."""
    shop = Shop(stage)
    page = signed_in(stage, shop.owner, at=f"/shop/{shop.shop}/campaign?id={shop.campaign}")
    asked = []

    def stay(dialog):
        asked.append(dialog.type)
        dialog.dismiss()

    def asks(field, count, away="nav.segments >> text=Numbers"):
        page.fill(field, "Two free drinks")
        page.click(away)
        until(lambda: page.title() and len(asked) == count, "nothing was asked")
        require(page.input_value(field) == "Two free drinks" and set(asked) == {"beforeunload"}, "what was typed is lost")

    def leaves_saved():
        page.click(SUBMIT)
        sees(page, ".toast", "Saved.")
        page.click("nav.segments >> text=Numbers")
        page.wait_for_url("**/numbers")

    page.on("dialog", stay)
    page.locator("#field-reward").wait_for()
    asks("#field-reward", 1)
    leaves_saved()
    page.goto(f"/shop/{shop.shop}/campaign")
    page.locator("#field-title").wait_for()
    asks("#field-title", 2)
    page.fill("#field-reward", "A cup")
    page.click(SUBMIT)
    page.wait_for_url(f"**/shop/{shop.shop}/campaigns")
    sees(page, ".toast", "The campaign is published.")
    page.goto(f"/shop/{shop.shop}/edit")
    page.locator("#field-name").wait_for()
    asks("#field-name", 3)
    leaves_saved()
    page.goto("/shops")
    page.click("#open-shop")
    asks("#field-name", 4, ".tabs a[href='/wallet']")
    page.fill("#field-phone", "021-5555 0100")
    page.fill("#field-address", "1 Tea Road")
    page.fill("#field-location", "31.2304, 121.4737")
    page.click(SUBMIT)
    page.wait_for_url("**/shop/shop_*")
    require(len(asked) == 4, f"asked about what was sent: {asked}")


def terms_of_time(stage):
    """A campaign gets days that a card is good, bonus hours and a last day of rewards; the preview and a customer's card say so."""
    shop = Shop(stage, goal=3)
    page = signed_in(stage, shop.owner)
    address = f"/v1/campaigns/{shop.campaign}"
    page.goto(f"/shop/{shop.shop}/campaign?id={shop.campaign}")
    unfold(page)
    page.fill("#field-cardValidDays", "30")
    sees(page, "stamp-card .ends", "Good until")
    page.fill("#field-redeemUntil", "2028-05-01T12:00")
    sees(page, "stamp-card", "Reward until 1 May 2028")
    page.click("text=Add bonus hours")
    page.click(".hours .chip >> nth=6")
    page.fill("#field-bonuses-0-from", "22:00")
    page.fill("#field-bonuses-0-to", "00:00")
    page.select_option("#field-bonuses-0-factor", "3")
    page.click(SUBMIT)
    sees(page, ".toast", "Saved.")
    saved = shop.keeper.ask("GET", address)
    days = ["monday", "tuesday", "wednesday", "thursday", "friday", "sunday"]
    require(saved["bonuses"] == [{"days": days, "from": "22:00", "to": "24:00", "factor": 3}], f"saved {saved.get('bonuses')}")
    require(saved["cardValidDays"] == 30 and saved["redeemUntil"].startswith("2028-05-01"), f"saved {saved}")
    page.click("text=Remove >> nth=0")
    page.fill("#field-cardValidDays", "0")
    page.click(SUBMIT)
    sees(page, "main form > .error", "Days that a card is good")
    page.fill("#field-cardValidDays", "20")
    page.click(SUBMIT)
    until(lambda: not shop.keeper.ask("GET", address).get("bonuses"), "the bonus hours are still there")
    shop.stamp()
    card = shop.cards()[0]
    customer = signed_in(stage, shop.customer, at=f"/wallet/{card['id']}")
    sees(customer, "stamp-card .ends", "Good until")
    sees(customer, "stamp-card", "Reward until 1 May 2028")
    require(list(overflowing(customer)) == [], "the card is wider than the phone")
    stage.expect_faults(*REFUSED)


def coupon(stage):
    """A coupon is published without a goal, with a last day for its reward, and a customer claims it."""
    shop = Shop(stage)
    page = signed_in(stage, shop.owner, at=f"/shop/{shop.shop}/campaign")
    page.check("#kind-coupon")
    unfold(page)
    require(not page.is_visible("#field-goal") and not page.is_visible("#field-repeats"), "a coupon has fields of a card")
    page.fill("#field-title", "Welcome")
    page.fill("#field-reward", "One small tea")
    sees(page, "stamp-card", "One small tea")
    require(page.locator("stamp-card .stamps, stamp-card .count").count() == 0, "the preview of a coupon has stamps")
    page.fill("#field-redeemUntil", "2030-01-31T20:00")
    page.click(SUBMIT)
    page.click(".list .row >> text=Welcome")
    found = next(each for each in state(shop)["campaigns"] if each["title"] == "Welcome")
    require((found["kind"], found["reward"], found["goal"]) == ("coupon", "One small tea", None), f"published {found}")
    require(found["redeemUntil"].startswith("2030-01-31T12:00"), f"its last day is {found['redeemUntil']}")
    page.fill("#field-reward", "One large tea")
    page.click(SUBMIT)
    sees(page, ".toast", "Saved.")
    claimed = shop.elsewhere().ask("POST", f"/v1/campaigns/{found['id']}/coupon")
    require("large" in str(claimed), f"claimed {claimed}")


def roles(stage):
    """A member is raised once they accept, lowered at once, and removed; an offer can be withdrawn."""
    shop = Shop(stage)
    theirs, mine = signed_in(stage, shop.customer), signed_in(stage, shop.owner, size=TABLET, at=f"/shop/{shop.shop}/staff")
    offer(mine, shop.customer)
    mine.click("#offers button >> text=Withdraw")
    mine.click("dialog .danger")
    sees(mine, ".toast", "Withdrawn.")
    mine.locator("#offers").wait_for(state="detached")
    offer(mine, shop.customer)
    accept(theirs, "Counter")
    mine.reload()
    mine.click("#staff button >> text=Make manager")
    sees(mine, "#offers", "Manager")
    accept(theirs, "Manager")
    theirs.goto(f"/shop/{shop.shop}/staff")
    sees(theirs, "#shop-page", "Only the owner offers work")
    require(theirs.locator("#staff button >> text=/Make|Remove/").count() == 0, "a manager changes roles")
    mine.reload()
    mine.click("#staff button >> text=Make counter")
    sees(mine, ".toast", "holds at once")
    mine.click("#staff button >> text=Remove")
    mine.click("dialog .danger")
    sees(mine, ".toast", "work here no more")
    theirs.goto(f"/shop/{shop.shop}")
    sees(theirs, "#shop-page", "You do not work here")
    stage.expect_faults(*REFUSED)


def offer(page, phone):
    page.fill("#field-phone", phone)
    page.click(SUBMIT)
    sees(page, "#offers", "Counter")


def accept(page, role):
    page.goto("/shops")
    page.click("#shops .list button >> text=Accept")
    page.click("dialog button >> text=Accept")
    sees(page, "#my-shops", role)


def hand_over(stage):
    """A shop is offered to somebody else, who takes it over."""
    shop = Shop(stage)
    theirs, mine = signed_in(stage, shop.customer), signed_in(stage, shop.owner, at=f"/shop/{shop.shop}/closing")
    offer_shop(mine, shop.customer)
    mine.click("#transfer button")
    sees(mine, ".toast", "Withdrawn.")
    mine.locator("#transfer").wait_for(state="detached")
    offer_shop(mine, shop.customer)
    accept(theirs, "Owner")
    mine.reload()
    sees(mine, "#shop-page", "You do not work here")
    stage.expect_faults(*REFUSED)


def offer_shop(page, phone):
    page.fill("#field-phone", phone)
    page.click(SUBMIT)
    page.click("dialog .danger")
    page.locator("#transfer").wait_for()


def closing(stage):
    """Closing needs its word; then staff and campaigns end, a full card stays, and the page says so."""
    shop = Shop(stage)
    shop.stamp(5)
    page = signed_in(stage, shop.owner, at=f"/shop/{shop.shop}/closing")
    button = page.locator("main button.danger")
    require(button.is_disabled(), "closing needs no word")
    sees(page, ".why", "is typed above")
    page.fill("#field-typed", "Close")
    button.click()
    sees(page, ".note", "Closed on")
    require("closedAt" in state(shop), "the shop is open")
    require(shop.cards()[0]["status"] == "full", "the full card is lost")
    try:
        shop.code()
        require(False, "a closed shop issues codes")
    except Unexpected as refused:
        require("409" in str(refused), str(refused))
    page.goto(f"/shop/{shop.shop}/campaigns")
    require(page.locator("#shop-page button").first.is_disabled(), "a closed shop publishes")
    sees(page, ".why", "closed for good")


def hostile_shop(stage):
    """Names that try to break out of pages do nothing on the owner's, and fit on a phone."""
    for name in (HOSTILE[1][:50], HOSTILE[4], HOSTILE[6]):
        shop = Shop(stage, name=name, title=name[:50], reward=name[:50])
        page = signed_in(stage, shop.owner)
        for path in ["/shops", f"/shop/{shop.shop}/campaign?id={shop.campaign}", *(f"/shop/{shop.shop}{place}" for place in PLACES)]:
            page.goto(path)
            page.locator("main .segments, #my-shops").first.wait_for()
            require("pwned" not in page.title(), f"{path}: a name became a script")
            require(list(overflowing(page)) == [], f"{path}: {list(overflowing(page))}")


STORIES = [
    opening_day, edit_conflict, opening_hours, end_and_reopen, changes_that_were_not_saved, terms_of_time, coupon, roles, hand_over,
    closing, hostile_shop,
]


def owner(stage, context):
    let_in(stage, stage.town.owner.phone, context).close()


def at(place):
    return lambda town: f"/shop/{town.shop}{place}"


SHEETS = [
    Sheet("shops", "/shops", "#my-shops .row", owner),
    Sheet("shops-none", "/shops", "#shops .empty", lambda stage, context: let_in(stage, stage.town.phone(), context).close()),
    Sheet("shop-campaigns", at("/campaigns"), ".list .row", owner),
    Sheet("shop-campaign-new", at("/campaign"), "stamp-card .stamps", owner),
    Sheet("shop-campaign", lambda town: f"/shop/{town.shop}/campaign?id={town.campaign}", "stamp-card .stamps", owner),
    Sheet("shop-edit", at("/edit"), "#field-images", owner),
    Sheet("shop-staff", at("/staff"), "#staff .row", owner),
    Sheet("shop-closing", at("/closing"), "#field-typed", owner),
]
