"""Bugs put into a page on its way to the browser, each in one form of it alone: a look at the page must find them all."""

import os

from pages_people import require
from pages_sheets import Sheet, look_at

# Each element has one bug. The style below restricts the bug to some forms of the page: a language, a colour scheme or a screen size.
PARTS = """<h2>Bugs</h2>
<p><a class="chinese" href="/"></a></p>
<p><button class="tablet"></button></p>
<p class="dark">Hard to read in the dark</p>
<p class="wide">Wider than a tablet</p>
<p class="large">Wider than a phone once the text is large</p>
<p><button class="unseen">Has the focus and nobody sees it</button></p>
<p inert><a class="button" href="/">Cannot be reached</a></p>
""" + "".join(f'<img alt="" src="/robots.txt?{number}">' for number in range(16))
STYLE = """
:lang(en) .chinese { display: none; }
@media (max-width: 40em) { .tablet, .wide { display: none; } }
@media (prefers-color-scheme: dark) { .dark { color: #444; } }
.wide { width: 1500px; }
.large { width: 15rem; }
.unseen:focus-visible { outline: none; }
"""
FOUND = [
    "zh-Hans, light, phone: axe link-name", "en, light, tablet: axe button-name", "en, dark, phone: axe color-contrast",
    "en, dark, tablet: axe color-contrast", "zh-Hans, light, tablet: wider than the screen", "en, text at 200 %: wider than the screen",
    "by keyboard: has the focus and nobody sees it: <button class=\"unseen\"", "by keyboard: is not reached: <a class=\"button\"",
    "requests, at most",
]
ABSENT = ["en, light, phone:", "en, light, tablet: axe link-name", "light, tablet: axe color-contrast"]


def a_broken_page(stage):
    """What a look at the sign-in page finds, once the page has a bug in each of its forms."""
    is_recorded = os.environ.get("GREENTEA_RECORD") == "1"
    sheet, plain, found = Sheet("sign-in", "/sign-in", "#phone", rests=not is_recorded), stage.context, "nothing"
    stage.context = broken(plain)
    try:
        look_at(stage, sheet)
    except AssertionError as error:
        found = str(error)
    finally:
        stage.context = plain
        stage.abandon()
    for part in [*FOUND, *([] if is_recorded else ["sign-in.en.yml, line", "sign-in.zh-Hans.yml, line"])]:
        require(part in found, f"nobody has found {part}, but this: {found}")
    for part in ABSENT:
        require(part not in found, f"the bug is in too many forms: {found}")


def broken(plain):
    """A stage's `context` whose sign-in page has the bugs."""
    def page(route):
        text = route.fetch().text()
        route.fulfill(body=text.replace("</main>", PARTS + "</main>"), content_type="text/html; charset=utf-8")

    def style(route):
        route.fulfill(body=route.fetch().text() + STYLE, content_type="text/css; charset=utf-8")

    def context(**kind):
        made = plain(**kind)
        made.route("**/sign-in", page)
        made.route("**/assets/style.*", style)
        return made
    return context


STORIES = [a_broken_page]
