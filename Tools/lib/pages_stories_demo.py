"""The links of a demo: a number that comes with the address is filled in, and only a tap sends it."""

import urllib.parse

from pages_people import require
from pages_stage import ELSEWHERE


def sign_in_by_a_link(stage):
    """One tap signs in where the service shows its codes; until then nothing was asked for."""
    phone = stage.town.phone()
    asked = []
    context = stage.context()
    context.on("request", lambda request: request.method == "POST" and asked.append(request.url))
    page = stage.open(f"/sign-in?{urllib.parse.urlencode({'phone': phone, 'next': '/me'})}", context)
    require(page.input_value("#phone") == phone, "the number is not filled in")
    require(asked == [] and not page.is_visible("#dev-code"), f"opening the link asked for {asked}")
    page.click("#phone-form [type=submit]")
    page.wait_for_url("**/me")


def sign_in_by_a_link_as_somebody_else(stage):
    """Whoever types another number gets its code shown, and types it."""
    page = stage.open(f"/sign-in?{urllib.parse.urlencode({'phone': stage.town.phone()})}")
    page.fill("#phone", stage.town.phone())
    page.click("#phone-form [type=submit]")
    page.locator("#dev-code strong").wait_for()
    require(page.input_value("#code") == "", "the code of another number is filled in")


def a_number_in_a_link_elsewhere(stage):
    """On a public service a number in a link is ignored: its reader's tap would send messages to a number of the writer's choice."""
    page = stage.context().new_page()
    elsewhere = stage.url.replace("127.0.0.1", ELSEWHERE)
    query = urllib.parse.urlencode({"phone": stage.town.phone(), "next": "/me"})
    page.goto(f"{elsewhere}/sign-in?{query}", wait_until="load")
    # The page is loaded, so its script has run and would have filled in the number by now.
    page.locator("#phone-form").wait_for()
    require(page.input_value("#phone") == "", "the number is filled in")
    stage.expect_faults(f"request to another host: {elsewhere}", "console: The Cross-Origin-Opener-Policy header")
    # With this machine's usual address, the same link fills in the number, which shows that only the host name made the difference.
    stage.go(page, f"/sign-in?{query}")
    require(page.input_value("#phone") != "", "the number is not filled in here either")


STORIES = [sign_in_by_a_link, sign_in_by_a_link_as_somebody_else, a_number_in_a_link_elsewhere]
