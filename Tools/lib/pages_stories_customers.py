"""A shop's customers: how many are in each segment, found by name or code, with their visits and cards."""

import re

from pages_people import REFUSED, Shop, let_in, refuse, require, sees, signed_in, until
from pages_sheets import Sheet
from pages_stage import PHONE

LIST = "**/v1/shops/*/customers**"
# A handle is made from the service's secret, and the day is today's.
CHANGING = [(r"\b[0-9a-hjkmnp-tv-z]{16}\b", "<handle>"), (r"\b\d{1,2} [A-Z][a-z]{2} \d{4}\b|\d{4}年\d{1,2}月\d{1,2}日", "<day>")]


class Known(Shop):
    """A shop with three customers: one with a stamp, one whose card is nearly full, and one whose card is full."""

    def __init__(self, stage):
        super().__init__(stage)
        self.people = {}
        for name, stamps in [("Ann", 1), ("Ben <b>", 3), ("小绿", 5)]:
            person = self.town.person(name)
            person.ask("POST", "/v1/stamps", {"code": self.code(stamps)})
            person.ask("POST", f"/v1/shops/{self.shop}/reviews", {"rating": 5})
            self.people[name] = person


def names(page):
    return page.locator("#customers summary .title").all_inner_texts()


def chip(page, segment):
    return page.locator(f".chip[data-segment={segment}]")


def segments(stage):
    """Each segment says how many are in it, and lists them; the choice stays when the page is loaded again."""
    shop = Known(stage)
    page = signed_in(stage, shop.owner, size=PHONE, at=f"/shop/{shop.shop}")
    page.click(".segments >> text=Customers")
    page.locator("#customers summary").first.wait_for()
    every = ("all", "new", "regular", "nearlyFull", "full", "lapsed")
    counts = {each: int(chip(page, each).locator("strong").inner_text()) for each in every}
    require(counts == {"all": 3, "new": 3, "regular": 0, "nearlyFull": 1, "full": 1, "lapsed": 0}, f"the counts are {counts}")
    for segment, expected in (("nearlyFull", ["Ben <b>"]), ("full", ["小绿"]), ("lapsed", [])):
        chip(page, segment).click()
        until(lambda: names(page) == expected and chip(page, segment).get_attribute("aria-pressed") == "true",
              f"{segment} lists {names(page)}")
    sees(page, "#customers", "No such customer")
    sees(page, "#meaning", "at least 21 days")
    page.reload()
    until(lambda: chip(page, "lapsed").get_attribute("aria-pressed") == "true", "the segment is forgotten")
    chip(page, "all").click()
    until(lambda: len(names(page)) == 3, f"all are {names(page)}")
    require(page.url.endswith("/customers"), f"the address is {page.url}")


def one_customer(stage):
    """A customer's visits and cards unfold, and lead to all that happened; nothing shows a number or an account."""
    shop = Known(stage)
    page = signed_in(stage, shop.owner, at=f"/shop/{shop.shop}/customers?segment=full")
    page.locator("#customers summary").click()
    sees(page, "#customers details", "Ten cups, the eleventh is free: full, the reward waits")
    sees(page, "#customers summary", "one visit")
    handle = page.locator("#customers code").inner_text()
    require(re.fullmatch("[0-9a-hjkmnp-tv-z]{16}", handle), f"the code is {handle}")
    link = page.locator("#customers details a").get_attribute("href")
    require(link == f"/shop/{shop.shop}/activity?customer={handle}", f"the link is {link}")
    text = page.locator("main").inner_text()
    require("acct_" not in text and shop.people["小绿"].phone[-8:] not in text, "the page shows who the customer is")
    require(page.locator("#customers >> text=Write to customers").get_attribute("href") == f"/shop/{shop.shop}/messages", "no way to write")


def found_by_name(stage):
    """A part of a nickname or the beginning of a code finds a customer, also by keyboard; a refused list is asked for again."""
    shop = Known(stage)
    page = signed_in(stage, shop.owner, at=f"/shop/{shop.shop}/customers")
    until(lambda: len(names(page)) == 3, f"the customers are {names(page)}")
    page.fill("#field-q", "BEN")
    page.press("#field-q", "Enter")
    until(lambda: names(page) == ["Ben <b>"], f"BEN finds {names(page)}")
    page.locator("#customers summary").click()
    handle = page.locator("#customers code").inner_text()
    page.fill("#field-q", handle[:6])
    page.press("#field-q", "Enter")
    until(lambda: f"q={handle[:6]}" in page.url and names(page) == ["Ben <b>"], f"the code finds {names(page)}")
    page.route(LIST, refuse)
    page.fill("#field-q", "")
    page.press("#field-q", "Enter")
    sees(page, "#customers [role=alert]", "Not now.")
    page.unroute(LIST, refuse)
    page.click("#customers [role=alert] button")
    until(lambda: len(names(page)) == 3, f"asked again, the customers are {names(page)}")
    stage.expect_faults(*REFUSED)


def nobody_yet(stage):
    """A shop without customers says when the first appears."""
    shop = Shop(stage)
    page = signed_in(stage, shop.owner, at=f"/shop/{shop.shop}/customers")
    sees(page, "#customers .empty", "They appear here with their first stamp")


STORIES = [segments, one_customer, found_by_name, nobody_yet]


def keeper(stage, context):
    if not hasattr(stage, "known_shop"):
        stage.known_shop = Known(stage)
    let_in(stage, stage.known_shop.owner, context).close()


class CustomersSheet(Sheet):
    """The page of a shop that is opened for it alone, with one customer unfolded."""

    def visit(self, stage, page):
        page.goto(f"/shop/{stage.known_shop.shop}/customers?sort=firstVisit&q=Ann", wait_until="load")
        page.locator(self.ready).first.wait_for()

    def unfold(self, page):
        page.locator("#customers summary").first.click()


SHEETS = [CustomersSheet("shop-customers", None, "#customers summary", keeper, masks=CHANGING)]
