"""The list of cards, where answers and events come in another order than the reader's acts: no card is lost, doubled or misplaced."""

from pages_people import Shop, require, sees, signed_in
from pages_stories_counter import waits
from pages_stories_late import Held

CARDS = "**/v1/me/cards?*"


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


def read_again(page, expected):
    """Shows the other list, which is empty, and then the cards again, which reads them anew."""
    page.click("[data-shows=over]")
    page.locator("#cards .empty").wait_for()
    page.click("[data-shows=current]")
    waits(page, lambda: titles(page) == expected, f"the list that was read again is not {expected}")


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


STORIES = [a_card_of_a_later_page_gets_a_stamp, more_of_a_list_that_was_read_again]
