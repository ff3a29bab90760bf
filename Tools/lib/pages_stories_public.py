"""Pages that anybody sees: found, shared, read and checked, with and without scripts."""

import re
import urllib.request

from pages_coverage import ID, routes
from pages_people import require
from pages_sheets import Sheet

SHEETS = [
    Sheet("home", "/", ready=".list"),
    Sheet("home-nothing-found", "/?q=nowhere", ready=".empty"),
    Sheet("home-shops", "/?list=shops", ready=".list"),
    Sheet("campaign", lambda town: f"/c/{town.campaign}"),
    Sheet("campaign-hostile", lambda town: f"/c/{town.hostile[0][1]}"),
    Sheet("shop", lambda town: f"/s/{town.shop}", ready=".review"),
    Sheet("shop-hostile", lambda town: f"/s/{town.hostile[4][0]}", ready=".empty"),
    Sheet("proof", "/proof", rests=False),
    Sheet("stamp-code", "/s/00000000", ready="#collect-button"),
    Sheet("not-found", "/nothing", faults=("console: Failed to load resource: the server responded with a status of 404",)),
    Sheet("style", "/operate/style"),
]


def nobody_breaks_out_of_a_page(stage):
    """Hostile names are text everywhere, and change neither the title nor what the page loads."""
    page = stage.open("/")
    paths = ["/", "/?list=shops", f"/s/{stage.town.shop}"]
    for shop, campaign in stage.town.hostile:
        paths += [f"/s/{shop}", f"/c/{campaign}"]
    for path in paths:
        stage.go(page, path)
        page.wait_for_timeout(50)
        assert "pwned" not in page.title() or "document.title" in page.title(), f"{path} ran a script: {page.title()}"
        assert page.title().endswith("· GreenTea"), f"{path}: {page.title()}"
        assert page.locator("[onerror], [onmouseover], main script, main style").count() == 0, path


def everything_public_works_without_scripts(stage):
    page = stage.open("/", context=stage.context(scripts=False))
    page.locator('input[name="q"]').fill("Ten cups")
    page.get_by_role("button", name="Search").click()
    page.get_by_role("link", name=re.compile("Ten cups")).first.click()
    assert page.get_by_role("heading", level=1).inner_text() == "Ten cups, the eleventh is free"
    page.get_by_role("link", name="Lucky Tea").click()
    assert page.locator(".review").count() > 3
    page.get_by_role("link", name="Older reviews").click()
    page.get_by_text("Best oolong in town.").wait_for()
    assert page.get_by_text("Thank you, come again!").is_visible()
    # In a browser without scripts, the scripts that the page prefetches fail to load, which the browser reports.
    stage.expect_faults("request:")


def every_page_opens_signed_out_without_a_complaint(stage):
    """The server leads a signed-out reader to the sign-in, so no page of the reader's browser sends a request that is refused."""
    town = stage.town
    ids = {"/c/": town.campaign, "/s/": town.shop, "/shop/": town.shop, "/wallet/": "card_01hv0000000000000000000000", "/r/": "00000000",
           "/b/": "A" * 64, "/p/": "0" * 16}
    page = stage.open("/")
    for route in routes():
        place = "/" + route.split("/")[1] + "/"
        path = route.replace(ID, ids.get(place, ""))
        answers = []
        note = lambda answer, answers=answers: answers.append((answer.status, answer.url))
        page.on("response", note)
        page.goto(path, wait_until="networkidle")
        page.remove_listener("response", note)
        refused = [answer for answer in answers if answer[0] >= 400]
        require(not refused, f"{path}: {refused}")
        require(not stage.faults, f"{path}: {stage.faults}")


def a_language_is_chosen_and_kept(stage):
    page = stage.open(f"/c/{stage.town.campaign}")
    page.get_by_role("button", name="简体中文").click()
    assert page.url.endswith(f"/c/{stage.town.campaign}")
    assert page.locator("html").get_attribute("lang") == "zh-Hans"
    stage.go(page, "/")
    assert page.get_by_role("button", name="搜索").is_visible()
    page.get_by_role("button", name="English").click()
    assert page.locator("html").get_attribute("lang") == "en"


def what_is_near_is_found_with_the_phones_place(stage):
    context = stage.context(geolocation={"latitude": 31.2304, "longitude": 121.4737}, permissions=["geolocation"])
    page = stage.open("/", context)
    page.get_by_role("button", name="Near me").click()
    page.wait_for_url(re.compile("near="))
    assert "Lucky Tea" in page.locator(".list .row").first.inner_text()
    # The position is rounded to about a hundred metres for privacy.
    assert re.search(r"near=31\.230(%2C|,)121\.474(&|$)", page.url), page.url
    denied = stage.open("/", stage.context())
    denied.get_by_role("button", name="Near me").click()
    denied.get_by_text("did not tell us where you are").wait_for()


def the_keyboard_alone_is_enough(stage):
    page = stage.open("/", context=stage.context(size={"width": 900, "height": 700}))
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.className") == "skip"
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.id") == "main"
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.name") == "q"
    page.keyboard.type("Lantern")
    page.keyboard.press("Enter")
    page.wait_for_url(re.compile("q=Lantern"))
    for _ in range(40):
        page.keyboard.press("Tab")
        if "row" in (page.evaluate("document.activeElement.className") or ""):
            break
    outline = page.evaluate("getComputedStyle(document.activeElement).outlineStyle")
    assert outline != "none", "what has the focus cannot be seen"
    page.keyboard.press("Enter")
    page.wait_for_url(re.compile("/c/camp_"))


def a_receipt_is_checked_in_the_browser(stage):
    """A right one, and each way to change it."""
    town = stage.town
    position = town.stamp(town.customer)["position"]
    request = urllib.request.Request(
        f"{town.url}/v1/stamps/{position}/receipt", headers={"Authorization": "Bearer " + town.customer.token})
    with urllib.request.urlopen(request, timeout=30) as response:
        receipt = response.read().decode()
    page = stage.open("/proof")

    def judged(text):
        page.locator("#verdict").evaluate("each => each.replaceChildren()")
        page.locator("#receipt").set_input_files({"name": "a.tlog-proof", "mimeType": "text/plain", "buffer": text.encode()})
        page.locator("#verdict .note").wait_for()
        return page.locator("#verdict").inner_text()

    assert f"Event {position} of" in judged(receipt)
    # The verdict names the shop, the campaign and the card of the event.
    facts = page.locator("#verdict dl")
    facts.get_by_text("Lucky Tea").wait_for()
    assert facts.locator(f"a[href='/c/{town.campaign}']").count() == 1 and "card_" in facts.inner_text(), facts.inner_text()
    lines = receipt.split("\n")
    extra, index = lines[1], lines[2]
    other = "A" if extra[20] != "A" else "B"
    assert "does not lead to the signed root" in judged(receipt.replace(extra, extra[:20] + other + extra[21:]))
    assert "does not lead to the signed root" in judged(receipt.replace(index, "index " + str(int(index.split(" ")[1]) - 1)))
    size = lines[lines.index("") + 2]
    assert "somebody changed it" in judged(receipt.replace(f"\n{size}\n", f"\n{int(size) + 1}\n"))
    origin = lines[lines.index("") + 1]
    assert "another log" in judged(receipt.replace(origin, "elsewhere.example/log"))
    for broken in ("", "hello", receipt[:-20], receipt.replace("extra ", "extra !"), receipt + "x" * 10):
        assert "not right" in judged(broken), broken[:40]
    assert "Event" in judged(receipt)


def everybody_sees_the_auditors_state(stage):
    """Who is not signed in reads what the auditor has found, and the checkpoint that it is about."""
    page = stage.open("/proof")
    page.locator("#audit .note").wait_for()
    said = page.inner_text("#audit .note")
    assert "as the log says" in said or "not compared everything yet" in said, said
    assert page.locator("main pre").first.inner_text().count("\n") >= 3


def nobody_shows_a_page_in_a_frame_or_sends_a_form_from_elsewhere(stage):
    page = stage.open("/")
    response = page.request.get("/", headers={"Accept": "text/html"})
    policy = response.headers["content-security-policy"]
    assert "frame-ancestors 'none'" in policy and "unsafe" not in policy
    page.evaluate("""() => { const frame = document.createElement("iframe"); frame.src = "/proof"; document.body.append(frame); }""")
    page.wait_for_timeout(300)
    # Trusted Types reject the text of this script. Without them, the content security policy would reject the script.
    page.evaluate("""() => { try { const script = document.createElement("script"); script.textContent = "document.title = 'run'";
      document.body.append(script); } catch {} }""")
    assert page.title() != "run"
    stage.expect_faults("console:", "exception:", "request:")


def a_missing_page_and_a_refusal_help(stage):
    page = stage.context().new_page()
    assert page.goto("/c/camp_00000000000000000000000000").status == 404
    page.get_by_role("link", name="See what runs near here").click()
    assert page.get_by_role("heading", level=1).inner_text() == "Stamp cards of the shops here"
    assert page.goto("/?sort=distance").status == 400
    assert page.get_by_role("link", name="Try again").is_visible()
    stage.expect_faults("console:")


def nothing_is_asked_for_twice(stage):
    """A second page takes style, icons and words from the browser's memory. Its own icon a browser gets when it has the time."""
    page = stage.open("/", stage.context())
    stage.go(page, f"/c/{stage.town.campaign}")
    again = page.evaluate("""performance.getEntriesByType("resource")
      .filter((each) => each.name.includes("/assets/") && each.transferSize > 0).map((each) => each.name)""")
    # The assets that the second page needs but the first page does not load.
    own = [f"/assets/{name}." for name in ("campaign", "share", "api", "ui", "favicon")]
    assert all(any(name in url for name in own) for url in again), again


STORIES = [
    everybody_sees_the_auditors_state, every_page_opens_signed_out_without_a_complaint,
    nobody_breaks_out_of_a_page, everything_public_works_without_scripts, a_language_is_chosen_and_kept,
    what_is_near_is_found_with_the_phones_place, the_keyboard_alone_is_enough, a_receipt_is_checked_in_the_browser,
    nobody_shows_a_page_in_a_frame_or_sends_a_form_from_elsewhere, a_missing_page_and_a_refusal_help, nothing_is_asked_for_twice,
]
