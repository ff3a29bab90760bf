"""The list of cards, where answers and events come in another order than the reader's acts: no card is lost, doubled or misplaced."""

from pages_people import Shop, require, sees, signed_in
from pages_stories_counter import waits
from pages_stories_late import Held
from pages_stories_live import resuming
from pages_stories_overtaken import Overtaken

CARDS, NAMES = "**/v1/me/cards?*", "**/v1/campaigns/*"


class LaterPages(Held):
    """Pages of two cards in place of fifty. Requests for later pages wait until they are let go."""

    def take(self, route):
        url = route.request.url.replace("limit=50", "limit=2")
        if self.is_free or "cursor=" not in url:
            route.continue_(url=url)
        else:
            self.routes.append(route)


def collecting(stage):
    """A shop with three campaigns, and the function with which its owner gives the customer a stamp of a campaign."""
    shop = Shop(stage, title="First card")
    campaigns = [shop.campaign, *(shop.town.publish(shop.keeper, shop.shop, title, 5) for title in ("Second card", "Third card"))]
    shop.elsewhere()

    def gives(campaign):
        shop.keeper.ask("POST", f"/v1/campaigns/{campaign}/stamps", {"phone": shop.customer, "stamps": 1})

    return shop, campaigns, gives


def at_the_wallet(stage, shop):
    """The customer's wallet, once its live stream has begun: it gets each event from now on."""
    context, begun = stage.context(), []
    context.on("response", lambda response: "/v1/me/events" in response.url and begun.append(response.url))
    page = signed_in(stage, shop.customer, context)
    waits(page, lambda: begun, "the wallet has no live stream")
    return page


def titles(page):
    return page.locator("#cards h2").all_inner_texts()


def stored(page):
    """What the wallet has stored for reading without a network."""
    return page.evaluate("JSON.parse(localStorage.getItem('greentea.wallet'))")


def read_again(page, expected):
    """Shows the other list, which is empty, and then the cards again, which reads them anew."""
    page.click("[data-shows=over]")
    page.locator("#cards .empty").wait_for()
    page.click("[data-shows=current]")
    waits(page, lambda: titles(page) == expected, f"the list that was read again is not {expected}")


def the_answer_for_the_other_list(stage):
    """The cards of one list come after the reader has gone back to the other: they are neither shown nor stored as those."""
    shop = Shop(stage)
    discarded = shop.stamp(2)["card"]["id"]
    shop.elsewhere().ask("DELETE", f"/v1/cards/{discarded}")
    page = resuming(stage, shop)
    with page.expect_response(CARDS):
        page.goto("/wallet")
    sees(page, "#cards .count", "1/5")
    lists = Overtaken(page, CARDS)

    def shows_only(count):
        shown = page.locator("#cards .count").all_inner_texts()
        require(shown == [count], f"the list has the cards of the other one: {shown}")

    lists.begin()
    page.click("[data-shows=over]")
    lists.wait()
    lists.begin()
    # The stored cards are shown at once, while the list is read again.
    page.click("[data-shows=current]")
    waits(page, lambda: len(lists.found) == 2, "the list is not read again")
    lists.found.reverse()
    lists.arrive()
    # A page with a bug may draw the cards only after it has asked for their names.
    for _ in range(15):
        shows_only("1/5")
        page.wait_for_timeout(100)
    require([card["stamps"] for card in stored(page)["cards"]] == [1], "the cards of the other list are stored")
    lists.arrive()
    shows_only("1/5")
    page.click("[data-shows=over]")
    sees(page, "#cards .count", "2/5")
    lists.begin()
    page.click("[data-shows=current]")
    lists.wait()
    page.click("[data-shows=over]")
    sees(page, "#cards .count", "2/5")
    lists.arrive()
    shows_only("2/5")


def an_event_whose_names_come_late(stage):
    """The list gets another card before the names for an event come: the event changes its own card, and none takes another's place."""
    shop, (first, second, third), gives = collecting(stage)
    gives(first)
    gives(second)
    page = at_the_wallet(stage, shop)
    waits(page, lambda: titles(page) == ["Second card", "First card"], "the cards are not listed")
    names = Held(page, NAMES)
    gives(first)
    names.wait()
    gives(third)
    waits(page, lambda: len(names.routes) == 2, "the names of the new card are not asked for")
    read_again(page, ["Third card", "Second card", "First card"])
    names.let_go()
    # Only cards of events have names of their own: those of a list come with it.
    waits(page, lambda: sum("names" in card for card in stored(page)["cards"]) >= 2, "the events have changed nothing")
    cards = [card["id"] for card in stored(page)["cards"]]
    require(len(cards) == 3 and len(set(cards)) == 3, f"a card has taken the place of another: {cards}")
    require(titles(page) == ["Third card", "Second card", "First card"], f"the list has become: {titles(page)}")
    counts = page.locator("#cards .count").all_inner_texts()
    require(counts == ["1/5", "1/5", "2/5"], f"the stamps have become: {counts}")


def a_card_of_a_later_page_gets_a_stamp(stage):
    """A card that is not shown yet comes to the front with its new stamp: the page on which it is listed does not show it again."""
    shop, campaigns, gives = collecting(stage)
    for campaign in campaigns:
        gives(campaign)
    page = at_the_wallet(stage, shop)
    LaterPages(page, CARDS).is_free = True
    read_again(page, ["Third card", "Second card"])
    gives(campaigns[0])
    waits(page, lambda: titles(page) == ["First card", "Third card", "Second card"], "the card that got a stamp does not come")
    page.click("#cards > .button")
    page.locator("#cards > .button").wait_for(state="detached")
    require(titles(page) == ["First card", "Third card", "Second card"], f"a card is shown twice: {titles(page)}")


def more_of_a_list_that_was_read_again(stage):
    """A list is read again while its next page is on the way: the page after its new end is added, so that no card is left out."""
    shop, campaigns, gives = collecting(stage)
    for campaign in campaigns:
        gives(campaign)
    fourth = shop.town.publish(shop.keeper, shop.shop, "Fourth card", 5)
    page = at_the_wallet(stage, shop)
    later = LaterPages(page, CARDS)
    read_again(page, ["Third card", "Second card"])
    page.click("#cards > .button")
    later.wait()
    gives(fourth)
    sees(page, "#cards", "Fourth card")
    read_again(page, ["Fourth card", "Third card"])
    later.let_go()
    page.locator("#cards > .button").wait_for(state="detached")
    expected = ["Fourth card", "Third card", "Second card", "First card"]
    require(titles(page) == expected, f"the list has become: {titles(page)}")


# Tells a page that events may be missing, as another tab does whose stream has begun anew: the page reads its data again.
STALE = """new BroadcastChannel(`greentea-live-${JSON.parse(localStorage.getItem("greentea.account")).id}`).postMessage("stale")"""


def more_while_the_list_is_read_again(stage):
    """The list is being read again when the reader asks for more, and the answer comes after the next page: that page stays."""
    shop, campaigns, gives = collecting(stage)
    for campaign in campaigns:
        gives(campaign)
    page = at_the_wallet(stage, shop)
    lists = Overtaken(page, CARDS, limit=2)
    read_again(page, ["Third card", "Second card"])
    lists.begin()
    page.evaluate(STALE)
    lists.wait()
    page.click("#cards > .button")
    page.locator("#cards > .button").wait_for(state="detached")
    # Another time beside the stored cards tells that the list has been read.
    before = stored(page)["at"]
    lists.arrive()
    waits(page, lambda: stored(page)["at"] != before, "the list is not read again")
    expected = ["Third card", "Second card", "First card"]
    require(titles(page) == expected, f"the list has become: {titles(page)}")


def the_end_of_the_other_list(stage):
    """The reader comes back from the longer list of the cards that are over: its next page is not offered below the stored cards."""
    shop, campaigns, gives = collecting(stage)
    customer = shop.elsewhere()
    for campaign in campaigns:
        gives(campaign)
    for card in shop.cards():
        customer.ask("DELETE", f"/v1/cards/{card['id']}")
    gives(campaigns[0])
    page = at_the_wallet(stage, shop)
    sees(page, "#cards .count", "1/5")
    lists = Overtaken(page, CARDS, limit=2)
    page.click("[data-shows=over]")
    page.locator("#cards > .button").wait_for()
    lists.begin()
    page.click("[data-shows=current]")
    lists.wait()
    require(page.locator("#cards .count").all_inner_texts() == ["1/5"], "the stored cards are not shown at once")
    require(page.locator("#cards > .button").count() == 0, "the next page of the other list is offered")
    lists.arrive()


STORIES = [
    the_answer_for_the_other_list, an_event_whose_names_come_late, a_card_of_a_later_page_gets_a_stamp, more_of_a_list_that_was_read_again,
    more_while_the_list_is_read_again, the_end_of_the_other_list,
]
