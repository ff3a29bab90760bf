"""Mended after somebody tried the pages without help. Each story was red before, and says what it showed then."""

from pages_people import REFUSED, Shop, require, sees, sign_in, signed_in, until
from pages_sheets import Sheet
from pages_stage import TABLET
from pages_stories_first_time import WEEK
from pages_stories_late import Held
from pages_stories_lost import GIFTS, Loses, give
from pages_stories_shops import SUBMIT

LOW, NARROW = {"width": 740, "height": 360}, {"width": 360, "height": 740}


def bonus_by_number(stage):
    """In bonus hours, giving by number says what will be given and what was. Was: “Give stamps”, then twice as many as were chosen."""
    shop = Shop(stage, goal=10)
    bonuses = [{"days": WEEK, "from": "00:00", "to": "24:00", "factor": 2}]
    shop.keeper.ask("PATCH", f"/v1/campaigns/{shop.campaign}", {"bonuses": bonuses}, {"If-Match": "*"})
    staff = signed_in(stage, shop.owner, size=TABLET, at="/counter")
    sees(staff, "#phone-form button", "Give 2 stamps")
    staff.click("#stamps button >> nth=2")
    sees(staff, "#bonus", "Bonus hours: 3 × 2 = 6 stamps.")
    sees(staff, "#phone-form button", "Give 6 stamps")
    sees(staff, "#paper-form button", "Give 6 stamps")
    give(staff, shop.customer)
    sees(staff, "#given", "6 stamps were given")
    sees(staff, "#given", "Bonus hours: 3 × 2 = 6 stamps.")
    require(shop.cards()[0]["stamps"] == 6, "the counter says another number than the card")


# The page that the service worker shows in place of those that it does not keep.
KEPT = """async () => {
  const kept = await caches.match("/offline", { ignoreVary: true });
  return kept ? kept.text() : "";
}"""


def links_without_a_connection(stage):
    """Without a connection each link of the counter, of a shop and of Me leads to a page that says so. Was: the browser's own page."""
    shop = Shop(stage)
    context = stage.context(workers=True)
    page = signed_in(stage, shop.owner, context, at="/counter")
    page.evaluate("() => navigator.serviceWorker.ready.then(() => true)")
    page.reload()
    page.locator("#stamps .chip").first.wait_for()
    context.set_offline(True)
    for path in ("/counter/verify", "/counter/today", "/shops", f"/shop/{shop.shop}/staff", "/me", "/"):
        page.goto(path)
        sees(page, "h1", "No connection to the service")
        require(page.locator(".tabs a[href='/counter']").count() == 1, f"nothing leads from {path} to the counter")
    page.click(".tabs a[href='/counter']")
    page.locator("#counter .empty, #line .note").first.wait_for()
    page.goto("/counter/today")
    context.set_offline(False)
    sees(page, ".segments [aria-current]", "Today")
    page.click(".foot button[lang='zh-Hans']")
    sees(page, "h1", "柜台")
    until(lambda: 'lang="zh-Hans"' in page.evaluate(KEPT), "the page about the connection is kept in the other language")
    context.set_offline(True)
    page.goto("/me")
    sees(page, "h1", "无法连接服务")
    context.set_offline(False)
    # The page opens again by itself.
    page.locator("#my-phone").wait_for()
    page.goto("/offline")
    page.click("#again")
    page.wait_for_url("**/wallet")
    stage.expect_faults(*REFUSED)


def an_error_is_seen(stage):
    """An error far above the button that was tapped scrolls into view and gets the focus. Was: nothing seemed to happen."""
    shop = Shop(stage)
    page = signed_in(stage, shop.owner, at=f"/shop/{shop.shop}/campaign", size=NARROW)
    page.locator("#field-title").wait_for()
    page.route("**/campaigns", lambda route: route.fulfill(
        status=403, json={"code": "roleRequired", "title": "No", "detail": "No.", "status": 403}))
    page.click(SUBMIT)
    error = page.locator("main form > .error")
    until(lambda: error.evaluate("each => each === document.activeElement"), "the error has not got the focus")
    require(seen(page, error), "the error is out of sight")
    staff = signed_in(stage, shop.owner, at="/counter", size=NARROW)
    give(staff, "12")
    until(lambda: staff.locator("#phone-form > .error").is_visible() and seen(staff, staff.locator("#phone-form > .error")), "out of sight")
    require(staff.evaluate("document.activeElement.id") == "phone", "the next digits go nowhere")
    stage.expect_faults(*REFUSED)


def seen(page, locator):
    box, bar = locator.bounding_box(), page.locator(".tabs").bounding_box()
    end = bar["y"] if bar["y"] > 0 else page.viewport_size["height"]
    return 0 <= box["y"] and box["y"] + box["height"] <= end


def a_code_on_a_low_screen(stage):
    """On a phone held sideways a code is on the screen as a whole. Was: its lower third was below the edge."""
    shop = Shop(stage)
    shop.stamp(5)
    card = shop.cards()[0]["id"]
    staff = signed_in(stage, shop.owner, size=LOW, at="/counter")
    staff.click("#show-code")
    customer = signed_in(stage, shop.customer, size=LOW, at=f"/wallet/{card}/redeem")
    customer.click("text=Show the code")
    for page in (staff, customer):
        for part in ("img", ".code", ".countdown"):
            box = page.locator(f"dialog shown-code {part}").bounding_box()
            require(box["y"] >= 0 and box["y"] + box["height"] <= LOW["height"], f"{part} is cut off: {box}")
        require(page.locator("dialog shown-code img").bounding_box()["width"] >= 240, "the code is too small for a camera")


# Moves the stored text of the counter into the past, before the page's scripts run.
AGED = """
  const kept = JSON.parse(localStorage.getItem("greentea.counter-typed") ?? "null");
  if (kept) localStorage.setItem("greentea.counter-typed", JSON.stringify({ ...kept, at: kept.at - 120_000 }));
"""


def typed_minutes_ago(stage):
    """A paper's code that was typed two minutes ago does not come back for the next customer. Was: it came back for ten minutes."""
    shop = Shop(stage)
    context = stage.context(size=TABLET)
    page = signed_in(stage, shop.owner, context, at="/counter")
    page.locator("#stamps .chip").first.wait_for()
    page.fill("#paper-code", "K7QF-2M9X-0R3T-8WBN")
    later = context.new_page()
    later.add_init_script(AGED)
    later.goto("/counter")
    later.locator("#stamps .chip").first.wait_for()
    require(later.input_value("#paper-code") == "", "the code comes back")


def stamps_over_two_cards(stage):
    """Stamps that fill one card and begin the next are told with their sum. Was: the wallet told the last card's part alone."""
    shop = Shop(stage, goal=5)
    shop.stamp(4)
    wallet = signed_in(stage, shop.customer)
    sees(wallet, "stamp-card .count", "4/5")
    badge = signed_in(stage, shop.customer, at="/badge")
    badge.locator("shown-code img").wait_for()
    shop.stamp(3)
    sees(wallet, ".toast", "3 stamps from")
    sees(badge, "#badge-news", "3 stamps from")


def welcome_over_two_cards(stage):
    """A code's stamps with those of the welcome, over two cards, are told with their sum. Was: “3 stamps given” of five."""
    shop = Shop(stage, goal=3)
    shop.keeper.ask("PATCH", f"/v1/campaigns/{shop.campaign}", {"welcomeStamps": 2}, {"If-Match": "*"})
    staff = signed_in(stage, shop.owner, size=TABLET, at="/counter")
    staff.click("#stamps button >> nth=2")
    staff.click("#show-code")
    shop.elsewhere().ask("POST", "/v1/stamps", {"code": staff.inner_text("dialog shown-code .code")})
    sees(staff, "dialog h2", "5 stamps given")
    sees(staff, "dialog [data-count]", "5 stamps were given")


def another_language(stage):
    """Choosing a language keeps what was typed. Was: an empty form, after a question whether to leave it."""
    shop = Shop(stage)
    asked = []
    page = signed_in(stage, shop.owner, at=f"/shop/{shop.shop}/edit")
    page.on("dialog", lambda dialog: (asked.append(dialog.type), dialog.dismiss()))
    page.fill("#field-name", "Second")
    page.click("text=Add hours")
    page.click(".foot button[lang='zh-Hans']")
    sees(page, ".segments", "店铺资料")
    until(lambda: page.input_value("#field-name") == "Second", "the name is gone")
    require(page.locator(".hours").count() == 1 and asked == [], f"the hours are gone, or it was asked: {asked}")
    page.click(SUBMIT)
    sees(page, ".toast", "已保存")
    page.goto("/help")
    page.locator("textarea").first.fill("The code does not scan.")
    page.click(".foot button[lang='en']")
    sees(page, "h1", "Help")
    until(lambda: page.locator("textarea").first.input_value() == "The code does not scan.", "the text is gone")
    page.reload()
    page.locator("textarea").first.wait_for()
    require(page.locator("textarea").first.input_value() == "", "the text comes back without being asked for")
    visitor = stage.open("/sign-in")
    visitor.fill("#phone", "138 0013 8000")
    visitor.click(".foot button[lang='zh-Hans']")
    until(lambda: visitor.input_value("#phone") == "138 0013 8000", "the number is gone")


def number_after_a_reload(stage):
    """After a lost answer and a reload the page says for which number it asks, and what became of it. Was: a time alone."""
    shop = Shop(stage)
    context = stage.context(size=TABLET)
    page = signed_in(stage, shop.owner, context, at="/counter")
    page.locator("#stamps .chip").first.wait_for()
    Loses(page, GIFTS, arrive=False)
    give(page, shop.customer)
    end = f"For …{shop.customer[-4:]}:"
    sees(page, "#acts-waiting [role=alert]", end)
    Loses(page, GIFTS, arrive=False)
    page.reload()
    sees(page, "#acts-waiting [role=alert]", end)
    page.unroute(GIFTS)
    page.evaluate("dispatchEvent(new Event('online'))")
    sees(page, "#acts-settled [role=status]", f"{end} One stamp was given at")
    require(page.input_value("#phone") == "", "the number stays, and invites to give again")
    require(shop.cards()[0]["stamps"] == 1, "the stamp is not on the card")
    stage.expect_faults(*REFUSED)


def stop_asking(stage):
    """Who stops asking is told at once that the outcome is unknown, also while a request is under way. Was: the note went on asking."""
    shop = Shop(stage)
    staff = signed_in(stage, shop.owner, size=TABLET, at="/counter")
    staff.locator("#stamps .chip").first.wait_for()
    Loses(staff, GIFTS, arrive=False)
    give(staff, shop.customer)
    sees(staff, "#acts-waiting [role=alert]", "If you stop asking, look at today's list")
    held = Held(staff, GIFTS)
    staff.evaluate("dispatchEvent(new Event('online'))")
    held.wait()
    staff.click("#acts-waiting button")
    sees(staff, "#phone-form > .error", "not known whether this was done")
    require(staff.locator("#acts-waiting .note").count() == 0, "the page says that it asks again")
    stage.expect_faults(*REFUSED)


def a_name_that_cannot_be_printed(stage):
    """A shop's name that no font has is refused at the name, not at the campaign. Was: “Campaign: has texts that cannot be printed”."""
    shop = Shop(stage, name="好喝 \U00013000")
    page = signed_in(stage, shop.owner, at=f"/shop/{shop.shop}/papers")
    page.click(SUBMIT)
    sees(page, "main form > .error", "Name of the shop: cannot be printed")
    require(page.get_attribute("#field-shop", "aria-invalid") == "true", "the name is not marked")
    require(page.get_attribute("#field-campaign", "aria-invalid") is None, "the campaign is marked")
    page.click("#field-shop")
    page.wait_for_url("**/edit")
    stage.expect_faults(*REFUSED)


def a_draft_that_was_overtaken(stage):
    """Where a colleague has saved what a draft changes, the page asks. Was: the draft lay over it, and one save undid the colleague's."""
    shop = Shop(stage)
    page = signed_in(stage, shop.owner, at=f"/shop/{shop.shop}/campaign?id={shop.campaign}", size=TABLET)
    page.on("dialog", lambda dialog: dialog.accept())

    def meanwhile(**changes):
        page.fill("#field-title", "Mine")
        until(lambda: "Mine" in (page.evaluate("localStorage.getItem('greentea.drafts')") or ""), "there is no draft")
        shop.keeper.ask("PATCH", f"/v1/campaigns/{shop.campaign}", changes, {"If-Match": "*"})
        page.reload()

    def stored(name):
        return shop.keeper.ask("GET", f"/v1/campaigns/{shop.campaign}")[name]

    meanwhile(reward="A pot of theirs")
    sees(page, "main form .note", "This is your draft of")
    require(page.input_value("#field-reward") == "A pot of theirs", "a field that nobody typed in is laid over")
    meanwhile(title="Theirs")
    sees(page, "main form .note", "this was changed and saved elsewhere: Title.")
    require(page.input_value("#field-title") == "Theirs", "the draft is laid over what is stored")
    page.click("text=Keep what is stored")
    page.reload()
    page.locator("#field-title").wait_for()
    require(page.locator("main form .note").count() == 0, "the draft stays")
    meanwhile(title="Theirs again", reward="Another pot of theirs")
    page.click("text=Use what I typed")
    page.click(SUBMIT)
    sees(page, ".toast", "Saved")
    require((stored("title"), stored("reward")) == ("Mine", "Another pot of theirs"), "not the typed field alone was saved")
    edit = signed_in(stage, shop.owner, at=f"/shop/{shop.shop}/edit")
    edit.fill("#field-name", "Mine")
    shop.keeper.ask("PATCH", f"/v1/shops/{shop.shop}", {"name": "Theirs"}, {"If-Match": "*"})
    edit.click(".foot button[lang='zh-Hans']")
    sees(edit, "main form .note", "以下内容已在别处修改并保存")
    require(edit.input_value("#field-name") == "Theirs", "the draft is laid over what is stored")
    stage.expect_faults(*REFUSED)


def typed_by_the_person_before(stage):
    """Text that waits for the page in another language is for who typed it. Was: it came back for whoever signed in next."""
    shop = Shop(stage)
    context = stage.context()
    page = signed_in(stage, shop.owner, context, at="/help")
    page.locator("textarea").first.fill("The secret of the person before.")
    page.route("**/language", lambda route: route.fulfill(status=204))
    page.click(".foot button[lang='zh-Hans']")
    until(lambda: "secret" in (page.evaluate("sessionStorage.getItem('greentea.typed')") or ""), "nothing was kept")
    other = stage.open("/sign-in", context)
    sign_in(other, shop.customer)
    page.wait_for_function("sessionStorage.getItem('greentea.typed') === null")
    page.wait_for_timeout(500)
    require(page.locator("textarea").first.input_value() == "", "another person sees it")
    stage.expect_faults(*REFUSED)


STORIES = [
    bonus_by_number, links_without_a_connection, an_error_is_seen, a_code_on_a_low_screen, typed_minutes_ago, stamps_over_two_cards,
    welcome_over_two_cards, another_language, number_after_a_reload, stop_asking, a_name_that_cannot_be_printed,
    a_draft_that_was_overtaken, typed_by_the_person_before,
]
SHEETS = [Sheet("offline", "/offline", "main .empty")]
