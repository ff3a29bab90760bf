"""The operator's pages: what they show to whom, the acts behind them, and the walk through the log."""

import urllib.request

from hostile_pictures import png
from pages_people import REFUSED, Shop, let_in, require, sees, sign_in, signed_in, until
from pages_sheets import Sheet
from pages_stage import TABLET
from pages_town import HOSTILE, OPERATOR

PLACES = ["", "/log", "/feedback", "/accounts", "/shops", "/cards", "/pictures"]


def operator_of(stage, **kind):
    return signed_in(stage, OPERATOR, **kind)


def search(page, phone):
    page.goto("/operate/accounts")
    page.fill("#phone", phone)
    page.click("#search [type=submit]")


def give_reason(page, text):
    page.fill("#dialog-answer", text)
    page.click("dialog [type=submit]")


def a_stranger_sees_nothing(stage):
    """Whoever is not an operator reads a sentence on each page, and finds no link; whoever is not signed in signs in first."""
    shop = Shop(stage)
    page = signed_in(stage, shop.customer)
    asked = []
    page.on("request", lambda request: asked.append(request.url) if "/v1/admin/" in request.url else None)
    for place in PLACES:
        page.goto("/operate" + place)
        sees(page, "#operate-state", "For operators only")
        require(not page.locator("#operate").is_visible(), f"/operate{place} shows itself to a customer")
    require(asked == [], f"a customer's page has asked {asked}")
    page.goto("/me")
    page.wait_for_selector("#sessions .row")
    require(not page.locator("#my-operate").is_visible(), "a customer is shown the way to the operator's pages")
    nobody = stage.context().new_page()
    nobody.goto("/operate/log")
    nobody.wait_for_url("**/sign-in**")
    sign_in(nobody, OPERATOR)
    nobody.wait_for_url("**/operate/log")
    nobody.wait_for_selector(".events details")
    stage.expect_faults(*REFUSED)


def suspends_an_account(stage):
    """Found by number and suspended with a reason; the customer's open page is refused; reinstated, everything is as it was."""
    shop = Shop(stage)
    shop.stamp(2)
    customer, head = signed_in(stage, shop.customer), operator_of(stage, size=TABLET)
    sees(customer, "stamp-card .count", "2/5")
    head.goto("/me")
    head.click("#my-operate a")
    head.wait_for_selector("#readiness table")
    sees(head, "#auditor-part .hint", "counts everything again from the log")
    head.click("nav.segments a[href='/operate/accounts']")
    search(head, shop.customer.removeprefix("+86"))
    sees(head, "#found dd", shop.customer)
    head.click("#found .danger >> nth=0")
    sees(head, "dialog", "signed out everywhere")
    head.keyboard.press("Escape")
    require(head.locator("#found h2 .badge.good").count() == 1, "a cancelled suspension has happened")
    head.click("#found .danger >> nth=0")
    give_reason(head, "Sells <b>stamp</b> codes")
    sees(head, "#found h2 .badge", "Suspended")
    sees(head, "#found .why-suspended", "Reason: Sells <b>stamp</b> codes")
    customer.goto("/wallet")
    customer.get_by_text("suspended").first.wait_for()
    head.click("#found >> text=Reinstate")
    give_reason(head, "It was somebody else")
    sees(head, "#found h2 .badge", "In use")
    again = signed_in(stage, shop.customer)
    sees(again, "stamp-card .count", "2/5")
    search(head, "+8613999999999")
    sees(head, "#found", "No account has this number")
    search(head, "12")
    head.wait_for_selector("#search .error:not([hidden])")
    search(head, OPERATOR)
    sees(head, "#found", "neither suspended")
    require(head.locator("#found .danger").count() == 0, "an operator can be suspended")
    stage.expect_faults(*REFUSED)


def gives_another_number(stage):
    """A lost number is replaced after a confirmation that says when; its holder sees it coming."""
    shop = Shop(stage)
    other = stage.town.phone()
    head = operator_of(stage)
    shop.elsewhere()
    search(head, shop.customer)
    head.fill("#new-phone", other)
    head.fill("#lost-reason", "Stolen, says the caller")
    head.click("#lost [type=submit]")
    sees(head, "dialog", "72 hours")
    head.click("dialog .danger")
    sees(head, ".toast", "holds from")
    coming = shop.elsewhere().ask("GET", "/v1/me")["phoneChange"]
    require(coming["phone"].endswith(other[-3:]), f"the number that comes is {coming}")


def corrects_a_card(stage):
    """Stamps are taken back by an adjustment, found from the account, and its holder reads the reason."""
    shop = Shop(stage)
    shop.stamp(3)
    customer, head = signed_in(stage, shop.customer), operator_of(stage)
    search(head, shop.customer)
    head.click("text=Its cards")
    head.click("#cards a")
    sees(head, "#found .events", "CardStamped")
    head.fill("#stamps", "-2")
    head.click("#adjust [type=submit]")
    sees(head, "dialog", "2 stamps are taken off it")
    give_reason(head, "Scanned by the wrong customer")
    sees(head, "#found .note", "1 of 5")
    sees(head, "#found .events", "CardAdjusted")
    require(shop.cards()[0]["stamps"] == 1, "the card was not corrected")
    customer.goto(f"/wallet/{shop.cards()[0]['id']}")
    sees(customer, "main", "Scanned by the wrong customer")
    for wrong in ("-9", "0", "two"):
        head.fill("#stamps", wrong)
        head.click("#adjust [type=submit]")
        if wrong == "-9":
            give_reason(head, "More than there is")
            sees(head, ".toast", "")
        else:
            sees(head, "#found .note", "whole number")
    require(shop.cards()[0]["stamps"] == 1, "a refused correction has changed the card")
    stage.expect_faults(*REFUSED)


def corrects_once(stage):
    """The keyboard alone corrects a card, and where the answer is lost after the commit, the same key asks again: it counts once."""
    shop = Shop(stage)
    shop.stamp(3)
    head = operator_of(stage, size=TABLET)
    keys = []

    def cut(route):
        keys.append(route.request.headers["idempotency-key"])
        if len(keys) == 1:
            route.fetch()
            route.abort()
        else:
            route.continue_()

    head.route("**/adjustments", cut)
    head.goto(f"/operate/cards?card={shop.cards()[0]['id']}")
    head.wait_for_selector("#adjust")
    head.focus("#stamps")
    head.keyboard.type("-1")
    head.keyboard.press("Enter")
    head.wait_for_selector("dialog")
    require(head.evaluate("document.activeElement.id") == "dialog-answer", "the confirmation does not have the focus")
    head.keyboard.type("Stamped twice")
    head.keyboard.press("Enter")
    sees(head, "#found .note", "2 of 5")
    require(len(keys) == 2 and len(set(keys)) == 1, f"asked again with other keys: {keys}")
    require(shop.cards()[0]["stamps"] == 2, "a lost answer has doubled the correction")
    stage.expect_faults(*REFUSED)


def suspends_a_shop(stage):
    """A shop is found by its name, suspended with a reason, found again by its id, and reinstated."""
    shop = Shop(stage, name="Copper Kettle of the North")
    head = operator_of(stage, size=TABLET, at="/operate/shops")
    head.fill("#query", "Copper Kettle")
    head.click("#search [type=submit]")
    head.click("#found .danger >> nth=0")
    sees(head, "dialog h2", "Suspend Copper Kettle of the North?")
    sees(head, "dialog", "Full cards are still redeemed")
    give_reason(head, "Is no tea shop")
    sees(head, "#found .badge", "Suspended")
    require(shop.keeper.ask("GET", f"/v1/shops/{shop.shop}")["suspended"], "the shop is not suspended")
    sees(head, "#found .why-suspended", "Reason: Is no tea shop")
    head.fill("#query", f"{stage.url}/s/{shop.shop}")
    head.click("#search [type=submit]")
    sees(head, "#found .why-suspended", "Reason: Is no tea shop")
    head.click("#found >> text=Reinstate")
    give_reason(head, "It is one")
    sees(head, "#found .badge", "In use")
    require(not shop.keeper.ask("GET", f"/v1/shops/{shop.shop}")["suspended"], "the shop is still suspended")


def takes_a_picture_down(stage):
    """A shop's picture is looked at and taken down, and then nobody sees it."""
    shop = Shop(stage)
    image = upload(stage, shop.keeper)
    page = operator_of(stage, at="/operate/pictures")
    page.fill("#picture", f"{stage.url}/v1/images/{image}")
    page.click("#search [type=submit]")
    until(lambda: page.evaluate("() => document.querySelector('.shot')?.naturalWidth > 0"), "the picture is not shown")
    page.click("#found .danger")
    sees(page, "dialog", "cannot be undone")
    page.click("dialog .danger")
    sees(page, "#found", "is taken down")
    require(stage.context().request.get(f"/v1/images/{image}").status == 404, "the picture is still there")
    page.fill("#picture", "nothing")
    page.click("#search [type=submit]")
    sees(page, "#found", "not a picture's id")


def upload(stage, keeper):
    request = urllib.request.Request(f"{stage.url}/v1/images", data=png(width=64, height=48), method="POST", headers={
        "Authorization": "Bearer " + keeper.token, "Content-Type": "image/png", "Idempotency-Key": keeper.account})
    with urllib.request.urlopen(request, timeout=30) as response:
        return response.headers["Location"].rsplit("/", 1)[1]


def hostile_events_and_feedback(stage):
    """Names in events and texts of feedback are text, and no page gets wider than the phone."""
    town = stage.town
    for name in [*HOSTILE, "W" * 300]:
        person = town.person(name[:50])
        person.ask("POST", "/v1/feedback", {"text": name + "\n" + name})
    head = operator_of(stage, at="/operate/feedback")
    head.wait_for_selector("#feedback .row")
    texts = head.locator("#feedback .written").evaluate_all("(all) => all.map((each) => each.textContent)")
    for name in HOSTILE:
        require(name + "\n" + name in texts, f"the feedback {name!r} is not shown as it was written")
    harmless(head, "/operate/feedback")
    for shop, campaign in town.hostile:
        head.goto(f"/operate/log?tag=shop:{shop}")
        head.wait_for_selector(".events details")
        head.click("#unfold")
        harmless(head, "the log")
        head.goto("/operate/shops")
        head.fill("#query", shop)
        head.click("#search [type=submit]")
        head.wait_for_selector("#found h2")
        harmless(head, "the shops")
        head.click("#found .danger")
        head.wait_for_selector("dialog")
        harmless(head, "the confirmation")
    for question in HOSTILE:
        head.goto("/operate/log")
        head.fill("#tag", question)
        head.click("#filter [type=submit]")
        head.locator("#filter .error:not([hidden])").wait_for()
        harmless(head, "a refused filter")
    stage.expect_faults(*REFUSED)


def harmless(page, place):
    markup = page.locator("main script, main [onerror], main [onmouseover], dialog script, dialog b")
    require(markup.count() == 0, f"{place} has markup in it")
    require(page.title().endswith("· GreenTea"), f"{place} ran a script: {page.title()}")
    wide = page.evaluate("() => document.documentElement.scrollWidth - innerWidth")
    require(wide <= 0, f"{place} is {wide} px wider than the screen")


STORIES = [
    a_stranger_sees_nothing, suspends_an_account, gives_another_number, corrects_a_card, corrects_once, suspends_a_shop,
    takes_a_picture_down, hostile_events_and_feedback,
]


def enter(stage, context):
    let_in(stage, OPERATOR, context).close()


def enter_as_customer(stage, context):
    let_in(stage, stage.town.customer.phone, context).close()


def card_of(town):
    return town.customer.ask("GET", "/v1/me/cards")["items"][0]["id"]


def feedback_of(town):
    """The page of feedback, once somebody has sent some."""
    if not town.operator.ask("GET", "/v1/admin/feedback")["items"]:
        for text in ("The map shows the shop on the wrong side of the road.\nThe door is in the yard.", HOSTILE[0]):
            town.customer.ask("POST", "/v1/feedback", {"text": text})
    return "/operate/feedback"


class Found(Sheet):
    """A page once somebody has looked for something on it."""

    def __init__(self, name, path, field, value, ready):
        super().__init__(name, path, ready, enter, rests=False)
        self.field, self.value = field, value

    def visit(self, stage, page):
        page.goto(self.path, wait_until="load")
        page.fill(self.field, self.value(stage.town))
        page.click("#search [type=submit]")
        page.locator(self.ready).first.wait_for()


SHEETS = [
    Sheet("operate-refused", "/operate", "#operate-state .empty", enter_as_customer),
    Sheet("operate-health", "/operate", "#auditor > *", enter, rests=False),
    Sheet("operate-log", "/operate/log", ".events details", enter, rests=False),
    # This page is empty, because the log has no event of this type: a card's holder is reminded only after some days, and no story waits so
    # long.
    Sheet("operate-log-empty", "/operate/log?type=CardReminded", "#events .empty", enter),
    Sheet("operate-feedback", feedback_of, "#feedback .row", enter, rests=False),
    Sheet("operate-accounts", "/operate/accounts", "#search", enter),
    Found("operate-account", "/operate/accounts", "#phone", lambda town: town.customer.phone, "#lost"),
    Sheet("operate-shops", "/operate/shops", "#search", enter),
    Found("operate-shops-found", "/operate/shops", "#query", lambda town: "Lucky", "#found h2"),
    Sheet("operate-cards", "/operate/cards", "#search", enter),
    Sheet("operate-card", lambda town: f"/operate/cards?card={card_of(town)}", "#found .events", enter, rests=False),
    Sheet("operate-pictures", "/operate/pictures", "#search", enter),
]
