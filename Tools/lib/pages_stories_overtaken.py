"""Answers that a newer one has overtaken, on the pages that are drawn again by themselves: they are not drawn over it."""

import re

from pages_people import REFUSAL, REFUSED, Shop, let_in, refuse, require, sees, signed_in
from pages_stage import TABLET
from pages_stories_counter import waits
from pages_stories_late import Held
from pages_stories_strangers import hired

STAFF, STAMPS, OFFERS = "**/v1/shops/*/staff", "**/v1/shops/*/stamps?*", "**/invitations"


def in_pages_of(limit, url):
    """The address of a list, in pages of `limit`."""
    return re.sub(r"\blimit=\d+", f"limit={limit}", url)


class Overtaken:
    """An answer of the service that reaches the page late: that to the first request after `begin`. Other requests do not wait.

    Where the page asks for a page of a list, it gets one of `limit`, if that is set.
    """

    def __init__(self, page, pattern, limit=None):
        self.page, self.pattern, self.limit, self.is_awaited, self.found = page, pattern, limit, False, []
        page.route(pattern, self.take)

    def take(self, route):
        url = in_pages_of(self.limit, route.request.url) if self.limit else route.request.url
        if route.request.method == "GET" and self.is_awaited:
            self.is_awaited = False
            self.found.append((route, route.fetch(url=url)))
        else:
            route.continue_(url=url)

    def begin(self):
        self.is_awaited = True

    def wait(self):
        waits(self.page, lambda: self.found, f"the page has sent nothing to {self.pattern}")

    def arrive(self, **refusal):
        """Returns once the page has got the answer, or a refusal in its place, and has had time to draw something."""
        route, answer = self.found.pop()
        with self.page.expect_response(self.pattern):
            route.fulfill(**(refusal or {"response": answer}))
        self.page.wait_for_timeout(300)


def an_earlier_list_of_the_people(stage):
    """Lists that were read before an offer are not drawn after it, nor while somebody types; a refusal is not told beside the offer."""
    shop = Shop(stage)
    page = signed_in(stage, shop.owner, at=f"/shop/{shop.shop}/staff")

    def offers(number):
        page.fill("#field-phone", number)
        page.click("main form [type=submit]")

    def looks():
        lists.begin()
        page.evaluate("document.activeElement.blur(); document.dispatchEvent(new Event('visibilitychange'))")
        lists.wait()

    lists = Overtaken(page, OFFERS)
    sees(page, "#staff .row", "You")
    require("shown by a code" not in page.inner_text("#shop-page"), "an owner alone is said to be a code")
    offers("13999998765")
    sees(page, "#offers", "…8765")
    sees(page, ".toast", "Noted.")
    looks()
    page.click("#field-phone")
    page.keyboard.type("1399")
    lists.arrive()
    page.keyboard.type("9994321")
    require(page.input_value("#field-phone") == "13999994321", "typing was interrupted")
    looks()
    offers("13999994321")
    sees(page, "#offers", "…4321")
    lists.arrive()
    require("…4321" in page.inner_text("#offers"), "an earlier list was drawn over a new offer")
    offers("12")
    sees(page, "main form [role=alert]", "phone number")
    require("Noted." not in page.inner_text("body"), "the offer before is told beside a refusal")
    stage.expect_faults(*REFUSED)


def of_two_givers(stage):
    """A shop with a clerk who has a nickname, and a function by which one of its people gives a stamp."""
    shop = Shop(stage)
    clerk = hired(shop)
    clerk.ask("PATCH", "/v1/me", {"nickname": "Mia"}, {"If-Match": "*"})

    def gives(person):
        person.ask("POST", f"/v1/campaigns/{shop.campaign}/stamps", {"phone": stage.town.phone(), "stamps": 1})

    return shop, clerk, gives


def an_earlier_list_of_today(stage):
    """A list that was read before another giving is not drawn after it."""
    shop, clerk, gives = of_two_givers(stage)
    gives(clerk)
    page = signed_in(stage, shop.owner, size=TABLET)
    lists = Overtaken(page, STAMPS)
    lists.begin()
    page.goto("/counter/today")
    lists.wait()
    gives(shop.keeper)
    sees(page, "#today .row", "By you")
    lists.arrive()
    require(page.locator("#today .row").count() == 2, "an older list was drawn over a newer one")


def names_that_come_late(stage):
    """Today's list is drawn before the names for it come; names that were lost are asked for anew, and also those of later pages."""
    shop, clerk, gives = of_two_givers(stage)
    gives(clerk)
    page = signed_in(stage, shop.owner, size=TABLET)
    held = Held(page, STAFF)
    page.goto("/counter/today")
    sees(page, "#today .row", "By a colleague")
    held.wait()
    page.locator("#today .row button").focus()
    held.let_go()
    sees(page, "#today .row", "By Mia")
    require(page.evaluate("document.activeElement.matches('#today .row button')"), "the focus is lost when the names are drawn")
    lost = []

    def lose(route):
        lost.append(route)
        route.fulfill(status=403, json={"code": "forbidden", "title": "No", "status": 403})

    page.unroute(STAFF, held.take)
    page.route(STAFF, lose)
    page.reload()
    waits(page, lambda: lost, "no name is asked for")
    page.unroute(STAFF, lose)
    gives(shop.keeper)
    sees(page, "#today .row", "By you")
    sees(page, "#today .row", "By Mia")
    # The list is now fetched in pages of one row, so that the colleague's row is on a later page.
    page.route(STAMPS, lambda route: route.continue_(url=in_pages_of(1, route.request.url)))
    page.reload()
    sees(page, "#today .row", "By you")
    page.click("#today > .button")
    sees(page, "#today .row", "By Mia")
    stage.expect_faults(*REFUSED)


def more_of_todays_list(stage):
    """More of today's list: a page that was lost is told, one that came stays when another stamp is given, and the focus stays too."""
    shop, clerk, gives = of_two_givers(stage)
    for _ in range(5):
        gives(clerk)
    context, begun, asked = stage.context(size=TABLET), [], []
    page = let_in(stage, shop.owner, context)
    context.on("request", lambda request: asked.append(request.url) if "/stamps?" in request.url else None)
    context.on("response", lambda response: "/v1/me/events" in response.url and begun.append(response.url))
    Overtaken(page, STAMPS, limit=2)
    page.goto("/counter/today")
    rows, more = page.locator("#today .row"), page.locator("#today > .button")
    more.wait_for()
    waits(page, lambda: begun, "the page has no live stream")

    page.route(STAMPS, refuse)
    more.click()
    sees(page, ".toast", "Not now.")
    page.unroute(STAMPS, refuse)
    require(rows.count() == 2, "the list has changed")
    more.press("Enter")
    waits(page, lambda: rows.count() == 4, "the next page does not come")
    require(page.evaluate("document.activeElement.matches('#today > .button')"), "the focus is lost with the button")
    gives(shop.keeper)
    sees(page, "#today .row", "By you")
    require(rows.count() == 4, f"of 4 rows, {rows.count()} are left")
    require("limit=50" in asked[0] and "limit=100" in asked[-1], f"the longer list is not read in larger pages: {asked[-1]}")
    stage.expect_faults(*REFUSED)


def the_last_of_todays_list(stage):
    """The last page of today's list takes the button for more away: the focus is on the first new entry, also when its name comes."""
    shop, clerk, gives = of_two_givers(stage)
    for person in (clerk, shop.keeper, shop.keeper):
        gives(person)
    page = signed_in(stage, shop.owner, size=TABLET)
    Overtaken(page, STAMPS, limit=2)
    names = Held(page, STAFF)

    def has_focus():
        return page.evaluate("document.activeElement.matches('#today li:nth-child(3)')")

    page.goto("/counter/today")
    page.locator("#today > .button").press("Enter")
    sees(page, "#today .row", "By a colleague")
    require(page.locator("#today > .button").count() == 0, "more is offered after the last page")
    require(has_focus(), "the focus is lost with the button")
    names.wait()
    names.let_go()
    sees(page, "#today .row", "By Mia")
    require(has_focus(), "the focus is lost when the names are drawn")


def taken_back_before_the_list_is_lost(stage):
    """Stamps are taken back, but the list that shows it is refused: that is told in place of the list, and the stamps are taken back."""
    shop = Shop(stage)
    shop.stamp()
    page = signed_in(stage, shop.owner, size=TABLET, at="/counter/today")
    page.click("#today .row button")
    page.fill("#dialog-answer", "Refunded")
    page.route(STAMPS, refuse)
    page.click("dialog [type=submit]")
    sees(page, ".toast", "Taken back")
    sees(page, "#today [role=alert]", "Not now.")
    page.unroute(STAMPS, refuse)
    # The live event about these stamps may have brought the list by now, and with it taken the button away.
    page.evaluate("document.querySelector('#today [role=alert] button')?.click()")
    sees(page, "#today .badge", "Taken back")
    stage.expect_faults(*REFUSED)


def a_list_that_is_lost_after_another_was_chosen(stage):
    """Stamps are taken back, and the rewards are chosen before the list of stamps is refused: the list of rewards stays."""
    shop = Shop(stage)
    shop.stamp()
    page = signed_in(stage, shop.owner, size=TABLET, at="/counter/today")
    lists = Overtaken(page, STAMPS)
    page.click("#today .row button")
    page.fill("#dialog-answer", "Refunded")
    lists.begin()
    page.click("dialog [type=submit]")
    lists.wait()
    page.click("[data-kind=redemptions]")
    sees(page, "#today", "Nothing yet today")
    lists.arrive(**REFUSAL)
    require(page.locator("#today [role=alert]").count() == 0, "the refusal of the other list is told")
    stage.expect_faults(*REFUSED)


def at_two_shops(stage, at):
    """A page of the owner of two shops in two time zones, each with a campaign, and the ids of the shops."""
    shop = Shop(stage, title="First card")
    second = shop.town.open_shop(shop.keeper, "Second shop", "1 Tea Road", 31.23, 121.47)
    shop.town.publish(shop.keeper, second, "Second card", 5)
    for each, zone in ((shop.shop, "Europe/London"), (second, "Pacific/Kiritimati")):
        shop.keeper.ask("PATCH", f"/v1/shops/{each}", {"timeZone": zone}, {"If-Match": "*"})
    return signed_in(stage, shop.owner, size=TABLET, at=at), shop.shop, second


def a_shop_that_comes_late_at_the_counter(stage):
    """Another shop is chosen before the one before has loaded: until it has, nothing can be given, and its campaign is not shown."""
    page, first, second = at_two_shops(stage, "/counter")
    page.select_option("#workplace-choice", second)
    sees(page, "#campaign-name", "Second card")
    shops = Overtaken(page, f"**/v1/shops/{first}")
    shops.begin()
    page.select_option("#workplace-choice", first)
    shops.wait()
    require(page.locator("#phone-form").is_hidden(), "stamps can be given at a shop that is not chosen any more")
    page.select_option("#workplace-choice", second)
    sees(page, "#campaign-name", "Second card")
    shops.arrive()
    require("Second card" in page.inner_text("#campaign-name"), "the campaign of a shop that is not chosen is shown")


def a_shop_that_comes_late_in_today(stage):
    """Another shop is chosen before the one before has loaded: neither its time zone nor its refusal is shown when it comes."""
    page, first, second = at_two_shops(stage, "/counter/today")
    shops, asked = Overtaken(page, f"**/v1/shops/{first}"), []
    page.on("request", lambda request: asked.append(request.url) if "/stamps?" in request.url else None)
    for refusal in ({}, REFUSAL):
        page.select_option("#workplace-choice", second)
        sees(page, "#today-zone", "Pacific/Kiritimati")
        sees(page, "#today", "Nothing yet today")
        shops.begin()
        page.select_option("#workplace-choice", first)
        shops.wait()
        page.select_option("#workplace-choice", second)
        sees(page, "#today", "Nothing yet today")
        asked.clear()
        shops.arrive(**refusal)
        require(asked == [], "the list is read again, for the day of the other shop")
        require("Pacific/Kiritimati" in page.inner_text("#today-zone"), "the day is that of the other shop")
        require(page.locator("#today [role=alert]").count() == 0, "the refusal of the other shop is told")
    stage.expect_faults(*REFUSED)


STORIES = [
    an_earlier_list_of_the_people, an_earlier_list_of_today, names_that_come_late, more_of_todays_list, the_last_of_todays_list,
    taken_back_before_the_list_is_lost, a_list_that_is_lost_after_another_was_chosen, a_shop_that_comes_late_at_the_counter,
    a_shop_that_comes_late_in_today,
]
