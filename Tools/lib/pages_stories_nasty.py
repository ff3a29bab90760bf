"""What goes wrong between a customer and the service: lost answers, two tabs, wrong clocks, foreign pages, hostile names."""

import re
import time
import unicodedata
import urllib.parse

from pages_people import REFUSED, Shop, left_nothing, require, sees, sign_in, signed_in
from pages_stories_counter import waits
from pages_town import HOSTILE


def double_tap(stage):
    """Two taps at once collect once."""
    shop = Shop(stage)
    page = signed_in(stage, shop.customer, at=f"/s/{shop.code(2)}")
    sent = []
    page.on("request", lambda request: sent.append(request) if request.url.endswith("/v1/stamps") else None)
    page.evaluate("() => { const button = document.querySelector('#collect-button'); button.click(); button.click(); }")
    sees(page, "h1", "2 stamps collected")
    require(len(sent) == 1, f"{len(sent)} requests for one stamp")
    require(shop.cards()[0]["stamps"] == 2, "a double tap has doubled the stamps")


def cut_after_commit(stage):
    """The answer is lost after the service has committed: the page asks again with the same key, and the stamp counts once."""
    shop = Shop(stage)
    page = signed_in(stage, shop.customer)
    keys = []

    def cut(route):
        keys.append(route.request.headers["idempotency-key"])
        if len(keys) == 1:
            route.fetch()
            route.abort()
        else:
            route.continue_()

    page.route("**/v1/stamps", cut)
    page.goto(f"/s/{shop.code(2)}")
    page.click("#collect-button")
    sees(page, "h1", "2 stamps collected")
    require(len(keys) == 2 and len(set(keys)) == 1, f"asked again with other keys: {keys}")
    require(shop.cards()[0]["stamps"] == 2, "a lost answer has doubled the stamps")
    stage.expect_faults(*REFUSED)


def reload_in_the_middle(stage):
    """A page that is loaded anew before the answer came asks again by itself, with the same key."""
    shop = Shop(stage)
    page = signed_in(stage, shop.customer)
    keys, held = [], []

    def hang(route):
        keys.append(route.request.headers["idempotency-key"])
        if len(keys) == 1:
            route.fetch()
            held.append(route)
        else:
            route.continue_()

    page.route("**/v1/stamps", hang)
    page.goto(f"/s/{shop.code(2)}")
    page.click("#collect-button")
    waits(page, lambda: keys, "the page has sent nothing")
    page.wait_for_timeout(500)
    page.reload()
    sees(page, "h1", "2 stamps collected")
    require(len(set(keys)) == 1, f"asked again with other keys: {keys}")
    require(shop.cards()[0]["stamps"] == 2, "a reload has doubled the stamps")
    stage.expect_faults(*REFUSED)


def no_answer(stage):
    """Without a connection the page says what may have happened and what to do, and keeps the key for the next try."""
    shop = Shop(stage)
    page = signed_in(stage, shop.customer, at=f"/s/{shop.code()}")
    page.wait_for_selector("#collect-button")
    page.route("**/v1/stamps", lambda route: route.abort())
    page.click("#collect-button")
    sees(page, "[role=alert]", "never counted twice")
    page.unroute("**/v1/stamps")
    page.get_by_role("button", name="Ask again").click()
    sees(page, "h1", "One stamp collected")
    # The page does not trust the browser's statement that it is offline or online. The statement only makes the page ask the server.
    page.goto(f"/s/{shop.code()}")
    page.wait_for_selector("#collect-button")
    page.context.set_offline(True)
    page.click("#collect-button")
    sees(page, "[role=alert]", "never counted twice")
    page.context.set_offline(False)
    sees(page, "h1", "One stamp collected")
    stage.expect_faults(*REFUSED)


def two_tabs(stage):
    """Two tabs whose session has expired refresh it once, and both go on."""
    shop = Shop(stage)
    shop.stamp()
    context = stage.context()
    first = signed_in(stage, shop.customer, context)
    second = context.new_page()
    first.wait_for_selector("stamp-card")
    # Answers are counted instead of requests, because the reload below may cancel a request of the old page, and the other tab then sends
    # one in its place.
    refreshed = []
    context.on("response", lambda response: refreshed.append(response) if response.url.endswith("/v1/sessions/refresh") else None)
    # The first refresh is held back until both tabs have received a 401.
    refused, held, free = set(), [], []
    context.on("response", lambda response: refused.add(response.frame.page) if response.status == 401 else None)
    # A 401 that the tab received before its reload is forgotten, because the new page must receive one of its own.
    first.on("framenavigated", lambda frame: refused.discard(first))
    context.route("**/v1/sessions/refresh", lambda route: route.continue_() if free else held.append(route))
    expire(context)
    second.goto("/me", wait_until="commit")
    first.reload(wait_until="commit")
    for _ in range(300):
        if held and refused == {first, second}:
            break
        first.wait_for_timeout(50)
    require(held and refused == {first, second}, "not both tabs were refused")
    # The wallet first shows its cached content, so only the answer to its own request shows that the page continued after the refresh.
    with first.expect_response(lambda response: "/v1/me/cards" in response.url and response.status == 200):
        free.append(True)
        for route in held:
            route.continue_()
    sees(first, "stamp-card .count", "1/5")
    sees(second, "#my-phone", shop.customer)
    require(len(refreshed) == 1, f"the session was refreshed {len(refreshed)} times")
    for page in (first, second):
        page.reload()
    sees(first, "stamp-card .count", "1/5")
    sees(second, "#my-phone", shop.customer)
    stage.expect_faults(*REFUSED)


def expire(context):
    """Makes the access cookie one that is not good, as a quarter of an hour does."""
    for cookie in context.cookies():
        if cookie["name"] == "__Host-greentea-access":
            context.add_cookies([{**cookie, "value": cookie["value"][:-4] + "AAAA"}])


def bad_codes(stage):
    """A used, an expired and a made-up code are refused in words, with a way on; one's own shop's too."""
    shop = Shop(stage)
    page = signed_in(stage, shop.customer)
    used, expired = shop.code(), shop.code(valid_for=1)
    shop.elsewhere().ask("POST", "/v1/stamps", {"code": used})
    time.sleep(1.1)
    for code in (used, expired, "ZZZZZZZZ"):
        page.goto(f"/s/{code}")
        page.click("#collect-button")
        sees(page, "[role=alert]", "Ask at the counter for a new one")
        page.wait_for_selector("text=Enter another code")
    staff = signed_in(stage, shop.owner, at=f"/s/{shop.code()}")
    staff.click("#collect-button")
    sees(staff, "[role=alert]", "You work at this shop")
    staff.goto("/counter/verify")
    staff.fill("#code", "ZZZZZZZZ")
    staff.click("#verify-form [type=submit]")
    sees(staff, "[role=alert]", "Ask the customer for a new one")
    stage.expect_faults(*REFUSED)


def signed_out(stage):
    """After signing out, "back" shows nothing, another tab shows nothing, and nothing is left in the browser."""
    shop = Shop(stage)
    shop.stamp()
    context = stage.context()
    page = signed_in(stage, shop.customer, context)
    page.wait_for_selector("stamp-card")
    other = context.new_page()
    other.goto("/wallet")
    other.wait_for_selector("stamp-card")
    page.goto("/me")
    page.click("#sign-out")
    page.wait_for_url("/")
    left_nothing(page)
    require(not [each for each in context.cookies() if each["name"].startswith("__Host-")], "the session's cookies are still there")
    page.go_back()
    page.wait_for_url("**/sign-in**")
    other.wait_for_url("**/sign-in**")
    stage.expect_faults(*REFUSED)


def hostile_names(stage):
    """Names with markup, the other direction, piled-up marks and one endless word stay text, and no page gets wider than the phone."""
    customer, cards = stage.town.person(), {}
    for name in HOSTILE:
        shop = Shop(stage, name=name[:50], title=name[:50], reward=name[:50])
        # The service keeps names in the composed form.
        cards[unicodedata.normalize("NFC", name[:50])] = customer.ask("POST", "/v1/stamps", {"code": shop.code(5)})["card"]["id"]
    page = signed_in(stage, customer.phone)
    page.locator("stamp-card").nth(len(cards) - 1).wait_for()
    pages = {f"/wallet/{card}{place}": [name] for name, card in cards.items() for place in ("", "/redeem")}
    for path, names in {"/wallet": list(cards), **pages}.items():
        if path != "/wallet":
            page.goto(path)
            page.wait_for_selector("stamp-card")
        shown = page.locator("stamp-card h2 .written").evaluate_all("(all) => all.map((each) => each.textContent)")
        require(sorted(shown) == sorted(names), f"{path} shows {shown!r} instead of {names!r}")
        require(page.title() != "pwned" and page.title() != "1", "a name has become a script")
        narrow(page, path)


def narrow(page, path):
    wide = page.evaluate("() => document.documentElement.scrollWidth - innerWidth")
    require(wide <= 0, f"{path} is {wide} px wider than the screen")


def offline_wallet(stage):
    """The wallet opens without a network with what was seen last and its age, and shows the rest when the network is back."""
    shop = Shop(stage)
    shop.stamp(2)
    context = stage.context(workers=True)
    page = signed_in(stage, shop.customer, context)
    sees(page, "stamp-card .count", "2/5")
    page.evaluate("() => navigator.serviceWorker.ready.then(() => true)")
    page.reload()
    sees(page, "stamp-card .count", "2/5")
    context.set_offline(True)
    page.reload()
    sees(page, "stamp-card .count", "2/5")
    sees(page, "#wallet-notice", "As of")
    shop.stamp()
    context.set_offline(False)
    page.locator("#wallet-notice button").click()
    sees(page, "stamp-card .count", "3/5")
    stage.expect_faults(*REFUSED)


def wrong_clock(stage):
    """On a phone whose clock is a day wrong, a code still has the minutes that it has."""
    for milliseconds in (-86_400_000, 86_400_000):
        shop = Shop(stage)
        shop.stamp(5)
        context = stage.context()
        context.add_init_script(f"const real = Date.now; Date.now = () => real() + {milliseconds};")
        page = signed_in(stage, shop.customer, context)
        page.click("text=Get the reward")
        page.click("text=Show the code")
        time_left = page.inner_text("dialog .time")
        require(re.search(r"\b(5:00|4:5\d)\b", time_left), f"the code says: {time_left}")


FOREIGN_FORM = """<form method=post enctype=text/plain><input name='{"a":"' value='"}'></form>"""


def foreign_form(stage):
    """A page of somebody else's, open in a signed-in browser, writes nothing: not by a form, and not by a script."""
    shop = Shop(stage)
    context = stage.context()
    page = signed_in(stage, shop.customer, context)
    evil = context.new_page()
    evil.route("http://evil.example/**", lambda route: route.fulfill(content_type="text/html", body=FOREIGN_FORM))
    evil.goto("http://evil.example/")
    evil.evaluate("""([base, shop]) => fetch(`${base}/v1/me/mutes/${shop}`, { method: "POST", mode: "no-cors", credentials: "include" })
        .catch(() => null)""", [stage.url, shop.shop])
    evil.close()
    for path in (f"/v1/stamps?code={shop.code()}", "/v1/feedback", "/v1/sessions/refresh"):
        with_form = context.new_page()
        with_form.route("http://evil.example/**", lambda route: route.fulfill(content_type="text/html", body=FOREIGN_FORM))
        with_form.goto("http://evil.example/")
        # Waits until the page of the answer is shown. If a page were closed while it moves to another site, the browser might never finish
        # closing it.
        with with_form.expect_navigation() as answer:
            with_form.evaluate("(address) => { const form = document.forms[0]; form.action = address; form.submit(); }", stage.url + path)
        require(answer.value.status >= 400, f"a foreign form was answered {answer.value.status} at {path}")
        with_form.close()
    # The browser does not send cookies with SameSite=Lax across sites, so the request is repeated with a cookie that is set by hand.
    cookies = "; ".join(f"{each['name']}={each['value']}" for each in context.cookies())
    for headers in ({"Sec-Fetch-Site": "cross-site"}, {"Origin": "http://evil.example"}, {}):
        answer = context.request.fetch("/v1/feedback", method="POST", headers={
            "Cookie": cookies, "Content-Type": "application/json", **headers}, data='{"text":"x"}')
        require(answer.status == 403, f"a write by cookie with {headers} was answered {answer.status}")
    require(shop.cards() == [], "a foreign page has collected a stamp")
    page.reload()
    page.wait_for_selector("#cards .empty")
    stage.expect_faults(*REFUSED, "request to another host", "console: Access to fetch")


def open_redirect(stage):
    """The sign-in page leads to places of this service and nowhere else."""
    for place in ("https://evil.example/", "//evil.example/", "/\\evil.example", "javascript:alert(1)", "/sign-in?next=/sign-in"):
        shop = Shop(stage)
        page = stage.context().new_page()
        page.goto(f"/sign-in?next={urllib.parse.quote(place, safe='')}")
        sign_in(page, shop.customer)
        require(page.url.startswith(stage.url + "/wallet"), f"next={place} led to {page.url}")
        page.context.close()
    # Once a browser has resolved the dots in these paths, the paths begin with two slashes, and the browser takes the next word for a host.
    for place in ("/.//evil.example/", "/x/..//evil.example/", "/%2e//evil.example/", "/./\\evil.example/"):
        shop = Shop(stage)
        page = stage.context().new_page()
        page.goto(f"/sign-in?next={urllib.parse.quote(place, safe='')}")
        page.route("http://evil.example/**", lambda route: route.abort())
        sign_in(page, shop.customer)
        require(page.url.startswith(stage.url + "/"), f"next={place} led to {page.url}")
        page.context.close()
    stage.expect_faults(*REFUSED)


STORIES = [
    double_tap, cut_after_commit, reload_in_the_middle, no_answer, two_tabs, bad_codes, signed_out, hostile_names, offline_wallet,
    wrong_clock, foreign_form, open_redirect,
]
