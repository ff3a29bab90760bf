"""The page of a shop's numbers: charts, tables and files, in both languages; a shop of yesterday and one without a visit."""

import csv

from pages_people import REFUSED, Shop, require, sees, signed_in
from pages_sheets import Sheet, overflowing
from pages_town import Person

NAME = "=HYPERLINK(1)"


class Busy(Shop):
    """A shop with two customers: one has had a reward, one has two stamps; its keeper's name begins as a formula does."""

    def __init__(self, stage):
        super().__init__(stage, goal=3)
        self.keeper.ask("PATCH", "/v1/me", {"nickname": NAME})
        card = self.stamp(3)["card"]["id"]
        code = self.elsewhere().ask("POST", f"/v1/cards/{card}/redemption")["code"]
        self.keeper.ask("POST", "/v1/redemptions", {"code": code})
        Person(self.town, self.town.phone()).ask("POST", "/v1/stamps", {"code": self.code(2)})


def numbers(stage):
    """An owner looks at the days, saves a table, asks what a campaign did, and looks at a year."""
    shop = Busy(stage)
    page = signed_in(stage, shop.owner)
    page.goto(f"/shop/{shop.shop}")
    page.click(".segments >> text=Numbers")
    sees(page, "#days .figures", "Stamps")
    require(page.locator("#days .figures dd").first.inner_text() == "5", "the stamps are not counted")
    pictures(page, 5)
    page.click("#days summary")
    first = page.locator("#days tbody tr").first.locator("th, td").all_inner_texts()
    require(first[1:] == ["2", "5", "2", "2", "1", "0"], f"today is {first}")
    rows = saved(page, "days")
    require(len(rows) == 31 and rows[0][:3] == ["Day", "Codes", "Stamps"], f"the file begins with {rows[0]}")
    require(rows[1][1:] == ["2", "5", "2", "2", "1", "0"], f"the file has {rows[:2]}")
    require(saved(page, "staff")[1][:3] == ["'" + NAME, "2", "5"], "a name could be a formula")
    page.select_option("#effect select", shop.campaign)
    sees(page, "#effect .figures", "Visits during it against before")
    page.click("#effect summary")
    sees(page, "#effect tbody", "During")
    page.click("nav >> text=A year")
    page.wait_for_url("**days=365")
    page.click("#days summary")
    require(page.locator("#days tbody tr").count() == 365, "a year has not 365 days")
    require(page.locator("nav [aria-current=page] >> text=A year").count() == 1, "the year is not lit")


def pictures(page, count):
    """Each chart has come as a picture, with words for those who do not see it."""
    page.wait_for_function(
        "(count) => [...document.querySelectorAll('img.chart')].filter((each) => each.complete && each.naturalWidth > 0).length === count",
        arg=count)
    for text in page.eval_on_selector_all("img.chart", "(all) => all.map((each) => each.alt)"):
        require("table below" in text, f"a chart says {text}")


def saved(page, name):
    """The rows of a table's file."""
    with page.expect_download() as download:
        page.click(f"#{name} .buttons button")
    require(download.value.suggested_filename.startswith(name), download.value.suggested_filename)
    with open(download.value.path(), encoding="utf-8", newline="") as file:
        text = file.read()
    require(text.startswith("\ufeff") and text.endswith("\r\n"), "no spreadsheet reads this file as it is meant")
    return list(csv.reader(text[1:].splitlines()))


def numbers_of_nobody(stage):
    """A shop without a visit says so; one who only works at the counter hears whom to ask."""
    shop = Shop(stage)
    page = signed_in(stage, shop.owner)
    page.goto(f"/shop/{shop.shop}/numbers")
    sees(page, "#days .note", "Nothing yet")
    require(page.locator("img.chart, table, #branches").count() == 0, "there is a chart of nothing")
    stranger = signed_in(stage, shop.customer)
    stranger.goto(f"/shop/{shop.shop}/numbers")
    sees(stranger, "#shop-page", "You do not work here")
    stage.expect_faults(*REFUSED)


def numbers_of_two_shops(stage):
    """Two shops stand side by side, whatever their names are, and fit on a phone."""
    shop = Busy(stage)
    stage.town.open_shop(shop.keeper, "<img src=x onerror=alert(1)>" * 2, "2 Tea Road", 31.23, 121.47)
    page = signed_in(stage, shop.owner)
    page.goto(f"/shop/{shop.shop}/numbers")
    pictures(page, 6)
    page.click("#branches summary")
    sees(page, "#branches tbody", "<img")
    require(list(overflowing(page)) == [], f"{list(overflowing(page))}")


STORIES = [numbers, numbers_of_nobody, numbers_of_two_shops]


def keeper(stage, context):
    if not hasattr(stage, "busy_shop"):
        stage.busy_shop = Busy(stage)
    signed_in(stage, stage.busy_shop.owner, context).close()


class NumbersSheet(Sheet):
    """The page of a shop that is opened for it alone, so that no story before it changes what it shows."""

    def show(self, stage, page):
        page.goto(f"/shop/{stage.busy_shop.shop}/numbers", wait_until="load")
        page.locator(self.ready).first.wait_for()


SHEETS = [NumbersSheet("shop-numbers", None, "#staff img.chart", keeper)]
