"""Somebody signs out, or another person signs in, in another tab of the same browser."""

from pages_people import REFUSED, Shop, let_in, require, sign_in, signed_in
from pages_stage import TABLET
from pages_stories_counter import waits
from pages_stories_late import collected
from pages_stories_strangers import hired

# Notes that another tab has changed the account, once the page's own listeners have been called, and that the page is about to be left.
NOTES_CHANGES = """() => {
    window.noted = { isChanged: false, isLeft: false };
    addEventListener("storage", ({ key }) => { if (key === "greentea.account") window.noted.isChanged = true; });
    addEventListener("beforeunload", () => { window.noted.isLeft = true; });
}"""


def signed_out_in_another_tab(stage):
    """Somebody signs out in another tab: no page goes on showing what is theirs, or would send what they typed for the next person."""
    shop, context = Shop(stage, goal=1), stage.context()
    card = f"/wallet/{shop.stamp()['card']['id']}"
    let_in(stage, shop.customer, context).close()
    pages = []
    for path, ready in (("/me", "#sessions .row"), ("/messages", "#messages .empty"), ("/badge", "shown-code img"),
                        (card, "stamp-card"), (f"{card}/redeem", "stamp-card")):
        pages.append(stage.open(path, context))
        pages[-1].locator(ready).first.wait_for()
    stage.open("/me", context).click("#sign-out")
    for page in pages:
        page.wait_for_url("**/sign-in**")
    stage.expect_faults(*REFUSED)


def a_certificate_beside_another_person(stage):
    """Another person signs in beside the certificate of an erasure, which is on no other page: it stays."""
    context = stage.context()
    page = signed_in(stage, stage.town.phone(), context, at="/me")
    page.click("#erase")
    page.click("dialog .danger")
    page.locator("#certificate").wait_for()
    page.evaluate(NOTES_CHANGES)
    let_in(stage, stage.town.phone(), context)
    waits(page, lambda: page.evaluate("window.noted.isChanged"), "the page does not learn of another person")
    require(not page.evaluate("window.noted.isLeft"), "the page with the certificate is left")
    require(page.input_value("#certificate").startswith("c2sp.org/tlog-proof@v1\n"), "the certificate is gone")
    stage.expect_faults(*REFUSED)


def another_person_during_a_slow_reload(stage):
    """Another person signs in while the tab with the live stream waits for its next page: the stream ends, and theirs begins."""
    shop, context, begun, held = Shop(stage), stage.context(size=TABLET), [], []
    clerk = hired(shop)
    context.on("response", lambda response: "/v1/me/events" in response.url and begun.append(response.frame.page))
    page = signed_in(stage, shop.owner, context, at="/messages")
    waits(page, lambda: page in begun, "the page has no live stream")
    # The scripts of the page run until the next page comes, which may take long on a slow connection.
    page.route("**/messages", lambda route: held.append(route))
    context.clear_cookies()
    staff = stage.open("/sign-in?next=/counter", context)
    sign_in(staff, clerk.phone)
    waits(staff, lambda: held, "the page of the person before is not loaded again")
    waits(staff, lambda: staff in begun, "the counter has no live stream")
    staff.click("#show-code")
    collected(shop, staff)
    staff.locator("dialog .note button", has_text="Undo").wait_for()
    stage.expect_faults(*REFUSED)


def typed_before_a_sign_out(stage):
    """Somebody signs out beside a form with text: the page is left without a question, whose answer would keep it for the next person."""
    context, asked = stage.context(), []
    page = signed_in(stage, stage.town.phone(), context, at="/shops")
    page.on("dialog", lambda dialog: (asked.append(dialog.type), dialog.dismiss()))
    page.click("#open-shop")
    page.fill("#field-name", "A shop of the person before")
    stage.open("/me", context).click("#sign-out")
    page.wait_for_url("**/sign-in**")
    require(not asked, f"the page asks: {asked}")
    stage.expect_faults(*REFUSED)


STORIES = [
    signed_out_in_another_tab, a_certificate_beside_another_person, another_person_during_a_slow_reload, typed_before_a_sign_out,
]
