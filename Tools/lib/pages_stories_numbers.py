"""The page of a shop's numbers: charts, tables and files, in both languages; a shop of yesterday and one without a visit."""

import base64
import csv
import re

from pages_people import REFUSED, Shop, let_in, refuse, require, sees, signed_in
from pages_sheets import Sheet, next_frame, overflowing
from pages_stories_nasty import expire
from pages_stories_overtaken import Overtaken
from pages_town import Person

NAME = "=HYPERLINK(1)"
EFFECT = "**/numbers/customers?*"


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
    page = signed_in(stage, shop.owner, at=f"/shop/{shop.shop}")
    page.click(".segments >> text=Numbers")
    sees(page, "#days .figures", "Stamps")
    require(page.locator("#days .figures dd").first.inner_text() == "5", "the stamps are not counted")
    pictures(page, 4)
    require(page.locator("#days .figures >> nth=0").locator("dt").count() == 4, "there are more than four figures")
    require(not page.locator("#days .hint").is_visible(), "the definitions are not folded")
    require(page.locator("#days .lead").count() == 0, "a finding is made of fewer than thirty cases")
    sees(page, "#period", "Since the week of the first stamp")
    require(page.locator("nav [aria-current=page] >> text=Since the start").count() == 1, "the shop's beginning is not lit")
    page.click("#days summary")
    first = page.locator("#days tbody tr").first.locator("th, td").all_inner_texts()
    require(first[1:] == ["2", "5", "2", "2", "1", "0"], f"today is {first}")
    rows = saved(page, "days")
    # Besides its header, the file has a row for each day since the Monday of the first stamp's week. These are at most 7 days, or 8 if a
    # new week began meanwhile.
    require(2 <= len(rows) <= 9 and rows[0][:3] == ["Day", "Codes", "Stamps"], f"the file begins with {rows[0]}, {len(rows)} rows")
    require(rows[1][1:] == ["2", "5", "2", "2", "1", "0"], f"the file has {rows[:2]}")
    require(saved(page, "staff")[1][:3] == [f"'{NAME}", "2", "5"], "a name could be a formula")
    page.select_option("#effect select", shop.campaign)
    sees(page, "#effect .figures", "Visits during it against before")
    page.click("#effect summary")
    sees(page, "#effect tbody", "During")
    page.click("nav >> text=A year")
    page.wait_for_url("**days=365")
    page.click("#days summary")
    require(page.locator("#days tbody tr").count() == 365, "a year has not 365 days")
    require(page.locator("nav [aria-current=page] >> text=A year").count() == 1, "the year is not lit")


def cohorts_and_where_cards_are_left(stage):
    """An owner reads week by week who came back, and at which stamp cards are left, as a sentence, a chart and a table."""
    shop = Busy(stage)
    # A customer discards cards with two stamps.
    leaver = Person(shop.town, shop.town.phone())
    for number in range(28):
        if number == 27:
            page = signed_in(stage, shop.owner, at=f"/shop/{shop.shop}/numbers")
            sees(page, "#left .figures", "Cards opened")
            require(page.locator("#left .lead").count() == 0, "twenty-nine cards have a finding")
        card = leaver.ask("POST", "/v1/stamps", {"code": shop.code(2)})["card"]["id"]
        leaver.ask("DELETE", f"/v1/cards/{card}")
    page = signed_in(stage, shop.owner, at=f"/shop/{shop.shop}/numbers")
    sees(page, "#retention .figures", "Customers")
    page.click("#retention summary")
    week = page.locator("#retention tbody tr").first.locator("th, td").all_inner_texts()
    require(week[1] == "3" and week[2] == "100%", f"the newest week of first visits is {week}")
    sees(page, "#left .lead", "Most are left at 2 stamps: 28 of 30 cards, 93%.")
    names = [".lead", ".figures", ".chart-box", ".counted"]
    places = page.evaluate("(names) => names.map((each) => document.querySelector(`#left ${each}`).offsetTop)", names)
    require(places == sorted(places), f"the finding does not stand first: {places}")
    page.click("#left summary >> nth=0")
    rows = [row.locator("th, td").all_inner_texts() for row in page.locator("#left tbody tr").all()]
    require(any(row[0] == "2" and row[3] == "28" for row in rows), f"the cards that were thrown away at two stamps are missing: {rows}")
    require(page.locator("#left img.chart, #retention img.chart").count() == 2, "a chart is missing")
    sections = page.evaluate("async (path) => (await (await fetch(path)).json()).sections", f"/shop/{shop.shop}/numbers/customers")
    chart = next(each["chart"] for each in sections if each["name"] == "left")
    notes = re.findall(r'<text [^>]*font-size="10"[^>]*>([^<]*)<', chart)
    require(notes and all(note.endswith("%") for note in notes), f"the bars are labelled in another unit than the axis: {notes}")


def too_early_to_tell(stage):
    """In a time in which no card can lie idle yet the page says so, and shows no share of zero; over a year it shows it."""
    shop = Busy(stage)
    page = signed_in(stage, shop.owner, at=f"/shop/{shop.shop}/numbers?days=30")
    sees(page, "#left .lead", "Too early to tell")
    require(page.locator("#left .figures dd").last.inner_text() == "–", "a share of cards is said to be left")
    require(page.locator("#left img.chart").count() == 0, "there is a chart of nothing")
    page.goto(f"/shop/{shop.shop}/numbers?days=90")
    page.locator("#left img.chart").wait_for()
    require(page.locator("#left .lead").count() == 0, "a long time is said to be too short")


def a_mistake_taken_back(stage):
    """Stamps given by mistake, which overflowed a card, and taken back leave no card that a customer gave up."""
    shop = Shop(stage, goal=3)
    for before in (0, 2):
        if before:
            shop.stamp(before)
        position = shop.stamp(4)["position"]
        shop.keeper.ask("POST", f"/v1/stamps/{position}/reversal", {"reason": "Wrong customer"})
    page = signed_in(stage, shop.owner, at=f"/shop/{shop.shop}/numbers?days=90")
    page.click("#left .counted summary")
    sees(page, "#left .hint", "nor those whose stamps were all taken back")
    figures = page.locator("#left .figures dd").all_inner_texts()
    require(figures == ["1", "0", "0%"], f"cards opened, full and left are {figures}")
    require(page.locator("#left .lead").count() == 0, "a card is said to be left")
    for each in ("#days", "#retention"):
        page.click(f"{each} .counted summary")
    sees(page, "#days .counted .figures", "Became full in this time, even if undone")
    sees(page, "#retention .hint", "A visit counts even if its stamps are taken back")


# The expected answers in a shop with a goal of three and five stamps. `LOWER` is the answer for a goal of two, with which the stamps would
# fill two cards. `SAME` is the answer for an unchanged goal.
LOWER, SAME = "Cards that would have been filled: 2 instead of 1", "Nothing would have been other than it was"


def what_if(stage):
    """An owner moves the slider, sees the question at work, reads the answer, and asks the next one; a manager sees none of it."""
    shop = Busy(stage)
    page = signed_in(stage, shop.owner, size={"width": 900, "height": 700}, at=f"/shop/{shop.shop}/numbers")
    page.click("#what-if")
    page.wait_for_url("**/numbers/what-if")
    page.locator("#goal-slider").fill("2")
    require(page.input_value("#goal") == "2", "the slider does not move the number")
    page.locator("#goal-slider").press("ArrowRight")
    require(page.input_value("#goal") == "3", "the slider does not follow the keyboard")
    for value, is_off in (("2", False), ("", True)):
        page.select_option("#factor", value)
        require(all(page.locator(each).is_disabled() == is_off for each in ("#days", "#from", "#to")), f"bonus hours with “{value}”")
    page.fill("#goal", "2")
    require(page.input_value("#goal-slider") == "2", "the number does not move the slider")
    page.click("#question .button")
    sees(page, "#answer .lead", LOWER)
    sees(page, "#answer h2", "A goal of 2, where it is 3 now")
    page.wait_for_function("() => document.querySelector('#answer img.chart').naturalWidth > 0")
    first = page.locator("#answer tbody tr").nth(2).locator("th, td").all_inner_texts()
    require(first == ["Cards filled", "1", "2", "+1"], f"the table says {first}")
    sees(page, "#answer .lead", "Full cards without a reward handed out: 1 instead of 0.")
    sees(page, "#answer .hint", "Stamps that were taken back do not count here")
    sees(page, "#answer .lead", "Period: ")
    require(page.input_value("#goal") == "2", "what was typed is not there any more")
    page.fill("#goal", "3")
    page.click("#question .button")
    sees(page, "#answer .lead", SAME)
    page.reload()
    sees(page, "#answer .lead", SAME)
    stranger = signed_in(stage, shop.customer, at=page.url)
    require(stranger.locator("#answer").count() == 0, "a customer reads the shop's answer")
    stage.expect_faults(*REFUSED)


def what_if_without_scripts(stage):
    """The same without scripts: the form is sent, the page loads itself again until the answer is there."""
    shop = Busy(stage)
    context = stage.context()
    let_in(stage, shop.owner, context)
    plain = stage.context(scripts=False)
    plain.add_cookies(context.cookies())
    page = stage.open(f"/shop/{shop.shop}/numbers/what-if", plain)
    page.fill("#goal", "2")
    page.select_option("#cap", "none")
    page.click("#question .button")
    sees(page, "#answer .lead", LOWER)
    page.fill("#goal", "99")
    page.evaluate("document.querySelector('#question').noValidate = true")
    with page.expect_response(lambda answer: answer.request.method == "POST") as answer:
        page.click("#question .button")
    require(answer.value.status == 400, f"a goal of 99 was answered {answer.value.status}")
    sees(page, "main a", "Try again")
    stage.expect_faults(*REFUSED)


def what_if_after_a_while(stage):
    """A session that has become too old meanwhile is renewed by the page itself; what nobody is signed in for leads to signing in."""
    shop = Busy(stage)
    context = stage.context()
    page = let_in(stage, shop.owner, context)
    expire(context)
    page.goto(f"/shop/{shop.shop}/numbers/what-if")
    sees(page, "#question", "Stamps that fill a card")
    nobody = stage.open(f"/shop/{shop.shop}/numbers/what-if")
    nobody.wait_for_url("**/sign-in**what-if")
    stage.expect_faults(*REFUSED)


def what_if_that_is_gone(stage):
    """The service has started again and knows the question no more: its page does not wait for ever, but shows the form."""
    shop = Shop(stage)
    page = signed_in(stage, shop.owner)
    form = f"/shop/{shop.shop}/numbers/what-if"
    # The page of a question that is at work. The service knows no question with this number, as after a start.
    progress = '<p id="progress-text"></p><progress id="progress-bar"></progress>'
    waiting = f'<section id="progress" data-job="{form}/987654321">{progress}</section>'

    def answer(route):
        found = route.fetch(url=stage.url + form)
        route.fulfill(response=found, body=found.text().replace("</main>", waiting + "</main>"))

    page.route("**/numbers/what-if/987654321", answer)
    page.goto(f"{form}/987654321")
    page.wait_for_url("**/numbers/what-if")
    sees(page, "#question", "Stamps that fill a card")
    require(page.locator("#progress").count() == 0, "the page still waits")
    stage.expect_faults(*REFUSED)


PIXEL = """async (png) => {
    const picture = new Image();
    picture.src = `data:image/png;base64,${png}`;
    await picture.decode();
    const canvas = document.createElement("canvas").getContext("2d");
    canvas.drawImage(picture, 0, 0);
    return [...canvas.getImageData(40, 4, 1, 1).data].slice(0, 3);
}"""


def ground(stage, picture):
    """The colour near a picture's upper edge, as it is shown; a page without a policy reads it."""
    reader = stage.context().new_page()
    return reader.evaluate(PIXEL, base64.b64encode(picture.screenshot()).decode())


def charts_in_the_dark(stage):
    """Charts have the page's ground, in the light and in the dark."""
    shop = Busy(stage)
    page = signed_in(stage, shop.owner, at=f"/shop/{shop.shop}/numbers")
    pictures(page, 4)
    for scheme, expected in (("light", [255, 254, 250]), ("dark", [25, 34, 29])):
        page.emulate_media(color_scheme=scheme)
        next_frame(page)
        found = ground(stage, page.locator("#days img.chart"))
        require(found == expected, f"{scheme}: the ground of a chart is {found}")


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
    page = signed_in(stage, shop.owner, at=f"/shop/{shop.shop}/numbers")
    sees(page, "#days .note", "Nothing yet")
    require(page.locator("img.chart, table, #branches").count() == 0, "there is a chart of nothing")
    stranger = signed_in(stage, shop.customer, at=f"/shop/{shop.shop}/numbers")
    sees(stranger, "#shop-page", "You do not work here")
    stage.expect_faults(*REFUSED)


def numbers_that_are_not_complete(stage):
    """While the service still counts, the page says so, and says it no more once all is counted."""
    shop = Busy(stage)
    page = signed_in(stage, shop.owner, at=f"/shop/{shop.shop}")

    def behind(route):
        found = route.fetch()
        route.fulfill(response=found, json={**found.json(), "isComplete": False})

    page.route("**/numbers/days?*", behind)
    page.click(".segments >> text=Numbers")
    sees(page, "#period + .note", "still counting")
    page.unroute("**/numbers/days?*", behind)
    page.reload()
    sees(page, "#days .figures", "Stamps")
    require(page.locator("#period + .note").count() == 0, "complete numbers are called incomplete")


def numbers_of_two_shops(stage):
    """Two shops stand side by side, whatever their names are, and fit on a phone."""
    shop = Busy(stage)
    stage.town.open_shop(shop.keeper, "<img src=x onerror=alert(1)>" * 2, "2 Tea Road", 31.23, 121.47)
    page = signed_in(stage, shop.owner, at=f"/shop/{shop.shop}/numbers")
    pictures(page, 5)
    page.click("#branches summary")
    together = page.locator("#branches tbody tr").last.locator("th, td").all_inner_texts()
    require(together[:2] == ["All together", "5"], f"both shops together are {together}")
    sees(page, "#branches tbody", "<img")
    require(list(overflowing(page)) == [], f"{list(overflowing(page))}")


def two_shops_with_one_beginning(stage):
    """Shops whose names begin alike stay apart below their bars, and a sentence names the one with most stamps."""
    shop = Shop(stage, goal=3, name="Copper Kettle Nanjing Road")
    second = stage.town.open_shop(shop.keeper, "Copper Kettle Huaihai Road", "2 Tea Road", 31.23, 121.47)
    other = stage.town.publish(shop.keeper, second, "Second card", 5, "A cup")
    for campaign, count in ((shop.campaign, 3), (other, 1)):
        for _ in range(count):
            code = shop.keeper.ask("POST", f"/v1/campaigns/{campaign}/codes", {"stamps": 10})["code"]
            shop.elsewhere().ask("POST", "/v1/stamps", {"code": code})
    page = signed_in(stage, shop.owner, at=f"/shop/{shop.shop}/numbers")
    sees(page, "#branches .lead", "Copper Kettle Nanjing Road gives most: 75% of 40 stamps.")
    sections = page.evaluate("async (path) => (await (await fetch(path)).json()).sections", f"/shop/{shop.shop}/numbers/branches")
    names = [name for name in re.findall(r"<text [^>]*>([^<]*)<", sections[0]["chart"]) if name.startswith(("Copper", "…"))]
    require(len(set(names)) == 2, f"the bars are called {names}")


def a_campaign_that_is_no_longer_chosen(stage):
    """Another choice is made before the effect of a campaign comes: the effect is not shown. A refused effect is asked for again."""
    shop = Busy(stage)
    page = signed_in(stage, shop.owner, at=f"/shop/{shop.shop}/numbers")
    page.locator("#effect select").wait_for()
    effects = Overtaken(page, EFFECT)
    effects.begin()
    page.select_option("#effect select", shop.campaign)
    effects.wait()
    page.select_option("#effect select", "")
    effects.arrive()
    require(page.locator("#effect .figures").count() == 0, "the effect of a campaign is shown that is not chosen")
    page.route(EFFECT, refuse)
    page.select_option("#effect select", shop.campaign)
    sees(page, "#effect [role=alert]", "Not now.")
    page.unroute(EFFECT, refuse)
    page.click("#effect [role=alert] button")
    sees(page, "#effect .figures", "Visits during it against before")
    stage.expect_faults(*REFUSED)


STORIES = [
    numbers, charts_in_the_dark, numbers_of_nobody, numbers_that_are_not_complete, numbers_of_two_shops,
    two_shops_with_one_beginning, cohorts_and_where_cards_are_left, too_early_to_tell, a_mistake_taken_back, what_if,
    what_if_without_scripts, what_if_after_a_while, what_if_that_is_gone, a_campaign_that_is_no_longer_chosen,
]


def keeper(stage, context):
    if not hasattr(stage, "busy_shop"):
        stage.busy_shop = Busy(stage)
    let_in(stage, stage.busy_shop.owner, context).close()


class NumbersSheet(Sheet):
    """The page of a shop that is opened for it alone, so that no story before it changes what it shows."""

    def visit(self, stage, page):
        page.goto(f"/shop/{stage.busy_shop.shop}/numbers", wait_until="load")
        page.locator(self.ready).first.wait_for()


MONTHS = [(r"what-if/\d+", "what-if/<number>"), (r"\b\d{4}-\d\d\b", "<month>")]


def asker(stage, context):
    """The keeper, once a question was answered."""
    keeper(stage, context)
    page = context.new_page()
    page.goto(f"/shop/{stage.busy_shop.shop}/numbers/what-if")
    page.fill("#goal", "2")
    page.click("#question .button")
    page.locator("#answer table").first.wait_for()
    stage.what_if = page.url
    page.close()


class WhatIfSheet(Sheet):
    """The page of an answer."""

    def visit(self, stage, page):
        page.goto(stage.what_if, wait_until="load")
        page.locator(self.ready).first.wait_for()


SHEETS = [
    NumbersSheet("shop-numbers", None, "#staff img.chart", keeper),
    WhatIfSheet("shop-what-if", None, "#answer table", asker, masks=MONTHS),
]
