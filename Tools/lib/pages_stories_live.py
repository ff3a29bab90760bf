"""The live stream of a page: where it does not simply go on, and what a counter learns from it or, without it, by asking."""

from pages_people import REFUSED, Shop, require, sees, signed_in
from pages_stage import TABLET
from pages_stories_counter import waits
from pages_stories_overtaken import Overtaken
from pages_stories_strangers import hired

CARD, CARDS = "**/v1/cards/*", "**/v1/me/cards?*"


def a_stream_without_an_event(stage):
    """A stream on which nothing happened has no event to resume after. When it ends for good, the next one brings what came in between."""
    shop = Shop(stage)
    context, asked = stage.context(), []

    def answer(route):
        asked.append(route.request.url)
        if len(asked) == 1:
            # The first stream opens, sends no event and closes. The browser reconnects at once.
            route.fulfill(status=200, content_type="text/event-stream", body="retry: 10\n\n")
        elif len(asked) == 2:
            # The second stream is refused, because the session has ended. A stamp is given before the next stream opens.
            shop.stamp()
            route.fulfill(status=401, content_type="application/problem+json", body="{}")
        else:
            route.continue_()

    context.route("**/v1/me/events*", answer)
    page = signed_in(stage, shop.customer, context)
    sees(page, "stamp-card .count", "1/5")
    require(len(asked) >= 3, f"the page has opened {len(asked)} streams")
    require(not any("lastEventId" in url for url in asked), "there was an event to resume after, so this story shows nothing")
    stage.expect_faults(*REFUSED)


def a_stamp_before_the_stream_opens(stage):
    """The first stream of a browser has nothing to resume after. A stamp between the page's read and its opening is seen."""
    shop, held = Shop(stage), []
    shop.stamp()
    context = stage.context()
    context.route("**/v1/me/events*", lambda route: route.continue_() if held else held.append(route))
    page = signed_in(stage, shop.customer, context)
    sees(page, "stamp-card .count", "1/5")
    waits(page, lambda: held, "the page opens no stream")
    shop.stamp()
    held[0].continue_()
    sees(page, "stamp-card .count", "2/5")


def a_giving_before_the_stream_opens(stage):
    """Today's list is read before the first stream opens: a stamp in between is seen, with one more read."""
    shop, held, asked = Shop(stage), [], []
    shop.stamp()
    context = stage.context(size=TABLET)
    context.route("**/v1/me/events*", lambda route: route.continue_() if held else held.append(route))
    context.on("request", lambda request: asked.append(request) if "/stamps?" in request.url else None)
    page = signed_in(stage, shop.owner, context, at="/counter/today")
    rows = page.locator("#today .row")
    waits(page, lambda: rows.count() == 1, "the list does not come")
    waits(page, lambda: held, "the page opens no stream")
    shop.stamp()
    held[0].continue_()
    waits(page, lambda: rows.count() == 2, "the stamp that was given before the stream opened is missing")
    require(len(asked) == 2, f"the list was read {len(asked)} times")


def a_badge_before_the_stream_opens(stage):
    """A badge is shown before the browser's first stream opens: stamps that are given by it in between are told."""
    shop, held, badges = Shop(stage), [], []
    context = stage.context()
    context.route("**/v1/me/events*", lambda route: route.continue_() if held else held.append(route))
    context.on("response", lambda response: badges.append(response) if response.url.endswith("/v1/me/badge") else None)
    page = signed_in(stage, shop.customer, context, at="/badge")
    page.wait_for_selector("shown-code img")
    waits(page, lambda: held, "the page opens no stream")
    shop.keeper.ask("POST", f"/v1/campaigns/{shop.campaign}/stamps", {"badge": badges[0].json()["payload"], "stamps": 3})
    held[0].continue_()
    sees(page, "#badge-news", "3 stamps")


def a_notice_before_the_stream_opens(stage):
    """The messages are read before the first stream opens: a notice that is posted in between is seen."""
    shop, held = Shop(stage), []
    shop.stamp()
    context = stage.context()
    context.route("**/v1/me/events*", lambda route: route.continue_() if held else held.append(route))
    page = signed_in(stage, shop.customer, context, at="/messages")
    page.locator("#messages .empty").wait_for()
    waits(page, lambda: held, "the page opens no stream")
    posts(shop, "New tea")
    held[0].continue_()
    sees(page, "#messages .row", "New tea")


# Keeps in the page what it has told of new stamps, also if the next message has replaced it.
TOLD = """addEventListener("DOMContentLoaded", () => {
    window.told = [];
    const news = document.querySelector("#badge-news");
    if (news) new MutationObserver(() => window.told.push(news.textContent)).observe(news, { childList: true });
})"""


def an_earlier_stamp_at_the_badge(stage):
    """A stream that resumes brings a stamp from before the badge was opened: it is not told as news, but a later one is."""
    shop, begun, badges = Shop(stage), [], []
    context = stage.context()
    context.add_init_script(TOLD)
    context.on("response", lambda response: "/v1/me/events" in response.url and begun.append(response.url))
    context.on("response", lambda response: badges.append(response) if response.url.endswith("/v1/me/badge") else None)
    page = signed_in(stage, shop.customer, context)
    waits(page, lambda: begun, "the page has no live stream")
    first = shop.stamp()["position"]
    waits(page, lambda: has_received(page, first), "the page gets no event")
    page.goto("/robots.txt")
    second = shop.stamp()["position"]
    received_last(page, first)
    page.goto("/badge")
    page.wait_for_selector("shown-code img")
    waits(page, lambda: has_received(page, second), "the stream does not resume")
    shop.keeper.ask("POST", f"/v1/campaigns/{shop.campaign}/stamps", {"badge": badges[0].json()["payload"], "stamps": 3})
    sees(page, "#badge-news .note", "3 stamps")
    told = page.evaluate("window.told")
    require(told and all("3 stamps" in text for text in told), f"the page has told {told}")


def posts(shop, title):
    shop.keeper.ask("POST", "/v1/notices", {"title": title, "text": "Come and taste.", "audience": "shop", "shop": shop.shop})


def a_notice_for_a_reader_of_later_pages(stage):
    """A notice is posted while somebody reads a later page of the messages: the list does not become shorter."""
    shop, answered = Shop(stage), []
    shop.stamp()
    context = stage.context()

    def answer(route):
        """Answers with a page of twenty notices. A shop may not post so many in a short time."""
        is_first = "cursor=" not in route.request.url
        items = [{
            "id": f"{is_first} {number}", "title": "Tea", "text": "Come.", "audience": "shop", "shop": {"id": shop.shop, "name": "A shop"},
            "postedAt": "2026-01-01T00:00:00Z", "read": True} for number in range(20)]
        route.fulfill(json={"items": items, "next": "more" if is_first else None, "unread": 0})

    context.route("**/v1/me/notices?*", answer)
    context.on("response", lambda response: answered.append(response) if "/v1/me/notices?" in response.url else None)
    page = signed_in(stage, shop.customer, context, at="/messages")
    # The list is read when the page opens, and again when the first stream of this browser opens.
    waits(page, lambda: len(answered) == 2, "the list is not read twice")
    rows = page.locator("#messages .row")
    page.click("#messages > .button")
    waits(page, lambda: rows.count() == 40, "the next page does not come")
    posts(shop, "New tea")
    # This event comes after that of the notice.
    last = shop.stamp()["position"]
    waits(page, lambda: has_received(page, last), "the page gets no event")
    page.wait_for_timeout(1_000)
    require(rows.count() == 40, f"of 40 notices, {rows.count()} are left")
    require(len(answered) == 3, "the list is read again")


def several_notices_at_once(stage):
    """A stream that resumes brings several notices that were missed: the list is read once for all of them."""
    shop, begun, asked = Shop(stage), [], []
    context = stage.context()
    context.on("response", lambda response: "/v1/me/events" in response.url and begun.append(response.url))
    context.on("request", lambda request: asked.append(request.url) if "/v1/me/notices?" in request.url else None)
    page = signed_in(stage, shop.customer, context)
    waits(page, lambda: begun, "the page has no live stream")
    received = shop.stamp()["position"]
    waits(page, lambda: has_received(page, received), "the page gets no event")
    page.goto("/robots.txt")
    for number in range(4):
        posts(shop, f"Tea {number}")
    last = shop.stamp()["position"]
    received_last(page, received)
    asked.clear()
    page.goto("/messages")
    waits(page, lambda: has_received(page, last), "the stream does not resume")
    sees(page, "#messages .row", "Tea 3")
    page.wait_for_timeout(1_000)
    require(page.locator("#messages .row").count() == 4, "not all notices are shown")
    require(len(asked) <= 3, f"the list was read {len(asked)} times")


def a_read_after_an_event(stage):
    """A page that reads its card because of an event demands a state that contains the event. A read model may be behind."""
    shop, asked = Shop(stage), []
    card = shop.stamp()["card"]["id"]
    page = signed_in(stage, shop.customer, at=f"/wallet/{card}")
    sees(page, "stamp-card .count", "1/5")
    page.on("request", lambda request: asked.append(request) if request.url.endswith(f"/v1/cards/{card}") else None)
    shop.stamp()
    sees(page, "stamp-card .count", "2/5")
    position = int(page.evaluate("JSON.parse(localStorage.getItem('greentea.live'))"))
    demanded = int(asked[-1].headers.get("greentea-min-position", 0))
    require(demanded >= position > 0, f"the page demands position {demanded} after the event at {position}")


def resuming(stage, shop):
    """A page of the customer's browser, which has received the event of one more stamp. Its next streams resume after this event.

    Otherwise each page reads its data once more when its stream opens, which may be at any moment of a story. The page is empty, so no
    request of an earlier page is taken for one of the next page.
    """
    context, begun = stage.context(), []
    context.on("response", lambda response: "/v1/me/events" in response.url and begun.append(response.url))
    page = signed_in(stage, shop.customer, context)
    waits(page, lambda: begun, "the page has no live stream")
    position = shop.stamp()["position"]
    waits(page, lambda: has_received(page, position), "the page gets no event")
    page.goto("about:blank")
    return page


def an_earlier_answer(stage, pattern, at):
    """An answer that was read before a stamp reaches a page after the stamp's event: it is not drawn over the stamp."""
    shop = Shop(stage)
    card = shop.stamp()["card"]["id"]
    page = resuming(stage, shop)
    answers = Overtaken(page, pattern)
    answers.begin()
    page.goto(at(card))
    answers.wait()
    second = shop.stamp()["position"]
    waits(page, lambda: has_received(page, second), "the page gets no second event")
    sees(page, "stamp-card .count", "3/5")
    answers.arrive()
    sees(page, "stamp-card .count", "3/5")


def an_earlier_card(stage):
    """The page of a card is read before a stamp, and the answer comes after the stamp's event."""
    an_earlier_answer(stage, CARD, lambda card: f"/wallet/{card}")


def an_earlier_wallet(stage):
    """The wallet is read before a stamp, and the answer comes after the stamp's event."""
    an_earlier_answer(stage, CARDS, lambda _: "/wallet")


def a_wallet_read_again(stage):
    """The wallet is read again when its first stream opens, and the answer to the first read comes later: it is not drawn over a stamp."""
    shop, held, released = Shop(stage), [], []
    shop.stamp()
    context = stage.context()
    context.route("**/v1/me/events*", lambda route: route.continue_() if released else held.append(route))
    page = signed_in(stage, shop.customer, context)
    sees(page, "stamp-card .count", "1/5")
    waits(page, lambda: held, "the page opens no stream")
    page.goto("about:blank")
    answers = Overtaken(page, CARDS)
    answers.begin()
    page.goto("/wallet")
    answers.wait()
    waits(page, lambda: len(held) == 2, "the wallet opens no stream")
    shop.stamp()
    released.append(True)
    held[-1].continue_()
    sees(page, "stamp-card .count", "2/5")
    answers.arrive()
    sees(page, "stamp-card .count", "2/5")


def has_received(page, position):
    """Whether the page has received the event at a log position."""
    return int(page.evaluate("JSON.parse(localStorage.getItem('greentea.live')) ?? 0")) >= position


def received_last(page, position):
    """Lets the browser's next stream resume after a log position. The page before may have received a later event just before it ended."""
    page.evaluate("(last) => localStorage.setItem('greentea.live', JSON.stringify(last))", str(position))


def a_burst_of_events(stage):
    """Stamps that are given while the page of a card reads it because of an event: one more read shows them all."""
    shop = Shop(stage, goal=10)
    card = shop.stamp()["card"]["id"]
    context, begun, asked = stage.context(), [], []
    context.on("response", lambda response: "/v1/me/events" in response.url and begun.append(response.url))
    page = signed_in(stage, shop.customer, context, at=f"/wallet/{card}")
    waits(page, lambda: begun, "the page has no live stream")
    first = shop.stamp()["position"]
    waits(page, lambda: has_received(page, first), "the page gets no event")
    sees(page, "stamp-card .count", "2/10")
    answers = Overtaken(page, CARD)
    page.on("request", lambda request: asked.append(request) if request.url.endswith(f"/v1/cards/{card}") else None)
    answers.begin()
    shop.stamp()
    answers.wait()
    for _ in range(3):
        last = shop.stamp()["position"]
    waits(page, lambda: has_received(page, last), "the page does not get all events")
    answers.arrive()
    sees(page, "stamp-card .count", "6/10")
    require(len(asked) == 2, f"the page has read the card {len(asked)} times")


def a_clerk_with_a_code(stage):
    """A shop, its clerk, and the clerk's counter with a code on the screen and a live stream."""
    shop, begun = Shop(stage), []
    clerk, context = hired(shop), stage.context(size=TABLET)
    context.on("response", lambda response: "/v1/me/events" in response.url and begun.append(response.url))
    page = signed_in(stage, clerk.phone, context, at="/counter")
    waits(page, lambda: begun, "the counter has no live stream")
    page.click("#show-code")
    page.locator("dialog shown-code .code").wait_for()
    return shop, clerk, page


def a_withdrawn_code(stage):
    """The owner withdraws a clerk's codes: the code on the screen goes, and a code that was put away is not said to work any more."""
    shop, clerk, page = a_clerk_with_a_code(stage)
    codes = f"/v1/shops/{shop.shop}/codes?staff={clerk.account}"
    shop.keeper.ask("DELETE", codes)
    sees(page, "dialog h2", "The code works no more")
    require(page.locator("dialog shown-code").count() == 0, "a code that was withdrawn is still on the screen")
    require(page.evaluate("document.activeElement.textContent") == "New code", "the focus is not on the button for a new code")
    page.keyboard.press("Enter")
    page.locator("dialog shown-code .code").wait_for()
    page.click("dialog .screen-bar button")
    sees(page, "#put-away", "still works, until")
    shop.keeper.ask("DELETE", codes)
    page.locator("#put-away .note").wait_for(state="detached")


def a_code_of_somebody_who_has_left(stage):
    """The owner ends a clerk's employment, of which the clerk's stream says nothing: the code on the screen goes nevertheless."""
    shop, clerk, page = a_clerk_with_a_code(stage)
    shop.keeper.ask("DELETE", f"/v1/shops/{shop.shop}/staff/{clerk.account}")
    sees(page, "dialog h2", "The code works no more")
    require(page.locator("dialog shown-code").count() == 0, "the code of somebody who has left is still on the screen")
    stage.expect_faults(*REFUSED)


STORIES = [
    a_stream_without_an_event, a_stamp_before_the_stream_opens, a_giving_before_the_stream_opens, a_badge_before_the_stream_opens,
    an_earlier_stamp_at_the_badge, a_notice_before_the_stream_opens, a_notice_for_a_reader_of_later_pages, several_notices_at_once,
    a_read_after_an_event, an_earlier_card, an_earlier_wallet, a_wallet_read_again, a_burst_of_events, a_withdrawn_code,
    a_code_of_somebody_who_has_left,
]
