"""Answers that come after the reader has gone on: to the next page of a list, to another entry or another file, or back."""

import urllib.parse

from pages_people import REFUSAL, REFUSED, Shop, require, sees, signed_in, until
from pages_stories_counter import waits
from pages_stories_late import Held
from pages_stories_overtaken import Overtaken
from pages_stories_wallet import STALE, collecting

# Notes the address of each answer that a script has read to the end. The timer fires after everything that the script does at once with
# the content of the answer.
NOTES_ANSWERS = """
    window.handled = [];
    for (const kind of ["text", "json"]) {
        const read = Response.prototype[kind];
        Response.prototype[kind] = async function () {
            const content = await read.call(this);
            setTimeout(() => window.handled.push(this.url));
            return content;
        };
    }
"""


def noting(stage):
    """A browser that knows nobody yet, whose pages note the answers that they have handled."""
    context = stage.context()
    context.add_init_script(NOTES_ANSWERS)
    return context


def handled(page, end):
    """The number of answers that the page has handled, from addresses with this end."""
    return page.evaluate("(end) => window.handled.filter((url) => url.endsWith(end)).length", end)


# The end of the address of the first page of the messages.
FIRST = "/v1/me/notices?limit=20"


class Notices:
    """The messages from number 60 down in place of those of the service: a shop may not post so many in a short time.

    One request, for the first page or for a later one, can be held back. It gets the answer of the time at which it was sent.
    """

    def __init__(self, context, shop):
        self.shop, self.newest, self.awaited, self.held, self.page = {"id": shop.shop, "name": "A shop"}, 60, None, [], None
        context.route("**/v1/me/notices?*", self.take)

    def take(self, route):
        cursor = urllib.parse.parse_qs(urllib.parse.urlsplit(route.request.url).query).get("cursor", [None])[0]
        newest = int(cursor) - 1 if cursor else self.newest
        numbers = range(newest, max(newest - 20, 0), -1)
        answer = {"items": [self.notice(number) for number in numbers], "next": str(numbers[-1]) if numbers[-1] > 1 else None, "unread": 0}
        if self.awaited == ("later" if cursor else "first"):
            self.awaited = None
            self.held.append((route, answer))
        else:
            route.fulfill(json=answer)

    def notice(self, number):
        return {"id": str(number), "title": str(number), "text": "Come.", "audience": "shop", "shop": self.shop,
                "postedAt": "2026-01-01T00:00:00Z", "read": True}

    def wait(self):
        waits(self.page, lambda: self.held, "the page does not ask for messages")

    def arrive(self):
        route, answer = self.held.pop()
        route.fulfill(json=answer)

    def shown(self):
        return [int(title) for title in self.page.locator("#messages h2 .written").all_inner_texts()]


def at_the_messages(stage):
    """A page with the first messages, once it reads nothing more by itself."""
    shop, context = Shop(stage), noting(stage)
    notices = Notices(context, shop)
    page = notices.page = signed_in(stage, shop.customer, context, at="/messages")
    # The list is read when the page opens, and again when the first stream of this browser opens.
    waits(page, lambda: handled(page, FIRST) == 2, "the list is not read twice")
    return page, notices


def a_notice_before_the_next_page(stage):
    """A notice comes while the next page of messages is on the way: the page after the new end is added, so that none is left out."""
    page, notices = at_the_messages(stage)
    notices.awaited = "later"
    page.click("#messages > .button")
    notices.wait()
    notices.newest = 61
    page.evaluate(STALE)
    waits(page, lambda: notices.shown()[:1] == [61], "the new notice is not shown")
    notices.arrive()
    waits(page, lambda: len(notices.shown()) == 40, "the next page does not come")
    require(notices.shown() == list(range(61, 21, -1)), f"the messages have become: {notices.shown()}")


def the_next_page_before_a_notice(stage):
    """The list is being read again when the reader asks for more, and the answer comes after the next page: that page stays."""
    page, notices = at_the_messages(stage)
    notices.newest, notices.awaited = 61, "first"
    page.evaluate(STALE)
    notices.wait()
    page.click("#messages > .button")
    waits(page, lambda: len(notices.shown()) == 40, "the next page does not come")
    notices.arrive()
    waits(page, lambda: handled(page, FIRST) == 3, "the list is not read again")
    require(notices.shown() == list(range(60, 20, -1)), f"the messages have become: {notices.shown()}")


def facts_of_an_earlier_receipt(stage):
    """The facts of a receipt come after another file was chosen, which is no receipt: they are not shown below its verdict."""
    shop = Shop(stage)
    given = shop.stamp()
    page = signed_in(stage, shop.customer, noting(stage), at="/proof")
    receipt = page.evaluate("async (position) => (await fetch(`/v1/stamps/${position}/receipt`)).text()", given["position"])
    # Whether the reader has the card is the last thing that the page asks before it shows the facts.
    held = Held(page, "**/v1/cards/*")

    def chooses(content):
        page.locator("#receipt").set_input_files({"name": "a.tlog-proof", "mimeType": "text/plain", "buffer": content})

    chooses(receipt.encode())
    sees(page, "#verdict .note", "This stamp was recorded in the log")
    held.wait()
    chooses(b"hello")
    sees(page, "#verdict .note.bad", "This receipt is not right")
    held.let_go()
    waits(page, lambda: handled(page, f"/v1/cards/{given['card']['id']}") == 1, "the answer about the card does not come")
    require(page.locator("#verdict dl").count() == 0, "the facts of the first receipt are shown below the refusal of the second one")


# The requests for the list of favourites, those that remove one, and what folds and unfolds the list, which reads it again.
FAVOURITES, FAVOURITE, FOLD = "**/v1/me/favorites?*", "**/v1/campaigns/*/favorite", "#my-favorites summary"


def keeps(customer, campaigns):
    """Makes campaigns favourites of a customer, on another device."""
    def are_listed():
        return set(campaigns) <= {each["id"] for each in customer.ask("GET", "/v1/me/favorites")["items"]}

    for campaign in campaigns:
        customer.ask("PUT", f"/v1/campaigns/{campaign}/favorite")
    until(are_listed, "the favourites are not listed")


def favourites_removed_at_once(stage):
    """Two favourites are removed before an answer comes: the answer about the second one does not bring the first one back."""
    shop, campaigns, _ = collecting(stage)
    keeps(shop.elsewhere(), campaigns)
    page = signed_in(stage, shop.customer, at="/me")
    page.click(FOLD)
    rows = page.locator("#my-favorites .row")
    rows.nth(2).wait_for()
    titles = rows.locator(".title").all_inner_texts()
    held = Held(page, FAVOURITE)
    for number in (0, 1):
        rows.nth(number).locator("button").click()
    waits(page, lambda: len(held.routes) == 2, "the page does not remove both")
    held.let_go()
    rows.nth(1).wait_for(state="detached")
    left = rows.locator(".title").all_inner_texts()
    require(left == titles[2:], f"of {titles}, the first two were removed, and these are left: {left}")


def favourites_read_again_during_a_removal(stage):
    """The answer about a removed favourite comes after the list was read again: the newer list loses that favourite and no other."""
    shop, campaigns, _ = collecting(stage)
    customer = shop.elsewhere()
    keeps(customer, campaigns[:2])
    page = signed_in(stage, shop.customer, at="/me")
    page.click(FOLD)
    rows = page.locator("#my-favorites .row")
    rows.nth(1).wait_for()
    held = Held(page, FAVOURITE)
    # The newest favourite is first.
    rows.first.locator("button").click()
    held.wait()
    keeps(customer, campaigns[2:])
    page.click(FOLD)
    page.click(FOLD)
    waits(page, lambda: rows.count() == 3, "the list is not read again")
    held.let_go()
    left = rows.locator(".title").all_inner_texts()
    require(left == ["Third card", "First card"], f"the second card was removed, and these are left: {left}")


def a_favourite_removed_while_the_list_is_read(stage):
    """A list that was read before a removal comes after it: nothing is drawn before it comes, and it does not bring the favourite back."""
    shop, campaigns, _ = collecting(stage)
    keeps(shop.elsewhere(), campaigns)
    page = signed_in(stage, shop.customer, at="/me")
    lists = Overtaken(page, FAVOURITES)
    page.click(FOLD)
    rows = page.locator("#my-favorites .row")
    rows.nth(2).wait_for()
    titles = rows.locator(".title").all_inner_texts()
    held = Held(page, FAVOURITE)
    rows.first.locator("button").click()
    held.wait()
    page.click(FOLD)
    lists.begin()
    page.click(FOLD)
    lists.wait()
    held.let_go()
    require(page.locator("#my-favorites .skeleton").count() == 1, f"the list is not awaited: {page.inner_text('#my-favorites')}")
    lists.arrive()
    left = rows.locator(".title").all_inner_texts()
    require(left == titles[1:], f"of {titles}, the first was removed, and these are left: {left}")


def an_earlier_list_of_favourites(stage):
    """The list is read again before an answer comes: a list, a refusal or a next page that comes late is not drawn over the newer one."""
    shop, campaigns, _ = collecting(stage)
    customer = shop.elsewhere()
    keeps(customer, campaigns[:1])
    page = signed_in(stage, shop.customer, at="/me")
    lists, rows = Overtaken(page, FAVOURITES, limit=2), page.locator("#my-favorites .row")

    def overtake(**refusal):
        page.click(FOLD)
        with page.expect_response(FAVOURITES):
            page.click(FOLD)
        rows.nth(1).wait_for()
        lists.arrive(**refusal)
        require(page.locator("#my-favorites [role=alert]").count() == 0, "the refusal of the earlier list is told")
        shown = rows.locator(".title").all_inner_texts()
        require(shown == ["Third card", "Second card"], f"the list has become: {shown}")

    lists.begin()
    page.click(FOLD)
    lists.wait()
    keeps(customer, campaigns[1:])
    overtake()
    page.click(FOLD)
    lists.begin()
    page.click(FOLD)
    lists.wait()
    overtake(**REFUSAL)
    lists.begin()
    page.click("#my-favorites .listed > .button")
    lists.wait()
    overtake()
    stage.expect_faults(*REFUSED)


def muted_again_before_the_answer(stage):
    """A shop is to be heard again, and is muted again from its message before the answer comes: the list has it after that answer."""
    shop = Shop(stage)
    shop.stamp()
    shop.keeper.ask("POST", "/v1/notices", {"title": "New tea", "text": "Come and taste.", "audience": "shop", "shop": shop.shop})
    page = signed_in(stage, shop.customer, at="/messages")
    held, rows = [], page.locator("#muted-list .row")

    def answers_late(route):
        if route.request.method == "DELETE":
            held.append((route, route.fetch()))
        else:
            route.continue_()

    with page.expect_response("**/v1/me/mutes?*"):
        page.click("#muted summary")
    page.click("#messages .row button")
    rows.wait_for()
    page.route("**/v1/me/mutes/*", answers_late)
    page.click("#muted-list button")
    waits(page, lambda: held, "the page does not end the mute")
    with page.expect_response("**/v1/me/mutes?*"):
        page.click("#messages .row button")
    rows.wait_for()
    route, answer = held.pop()
    with page.expect_response("**/v1/me/mutes/*"):
        route.fulfill(response=answer)
    page.wait_for_timeout(300)
    require(len(shop.elsewhere().ask("GET", "/v1/me/mutes")["items"]) == 1, "the shop is not muted")
    require(rows.count() == 1, f"the shop is muted, and the list says: {page.inner_text('#muted-list')}")


def back_before_the_code(stage):
    """Somebody asks for a code in place of the password, and goes back before the answer: it opens no form without a number."""
    page = stage.open("/sign-in", noting(stage))
    held = Held(page, "**/v1/verifications")
    page.fill("#phone", stage.town.phone())
    page.click("#with-password")
    page.click("#password-form [data-code]")
    held.wait()
    page.click("#password-form [data-back]")
    held.let_go()
    waits(page, lambda: handled(page, "/v1/verifications") == 1, "the answer does not come")
    require(page.locator("#code-form").is_hidden(), "the form for the code of a number that is gone has opened")
    require(page.locator("#phone-form").is_visible(), "the form for the number is gone")


STORIES = [
    a_notice_before_the_next_page, the_next_page_before_a_notice, facts_of_an_earlier_receipt, favourites_removed_at_once,
    favourites_read_again_during_a_removal, a_favourite_removed_while_the_list_is_read, an_earlier_list_of_favourites,
    muted_again_before_the_answer, back_before_the_code,
]
