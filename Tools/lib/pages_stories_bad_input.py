"""What people and neighbours put where it does not belong: piled-up marks, missing names, numbers of any country, cookies that are not
theirs; and browsers that come back after a week, with an older service worker, or in two languages at once."""

from pages_people import REFUSED, Shop, let_in, require, sees, signed_in
from pages_stories_nasty import expire, narrow
from pages_town import Person

ACCESS, REFRESH = "__Host-greentea-access", "__Host-greentea-refresh"
WEEK_MS = 7 * 86_400_000
# Phone numbers as people type them, and as the service stores them; None if the sign-in page must refuse the text.
NUMBERS = {
    "+1 (202) 555-0143": "+12025550143", "+44 7700 900123": "+447700900123", "0049 1512 3456780": "+4915123456780",
    "+81 90-1234-5678": "+819012345678", "＋８５２ ５５５５ ０１２３": "+85255550123", "+290 22158": "+29022158", "+49": None, "0151": None,
    "(0)7700 900124": "+447700900124",
}


def two_thousand_marks(stage):
    """A review and a campaign of one letter under 2,000 marks stay text, and no page gets wider or stops answering."""
    pile = "Z" + "\u0301\u0316" * 999 + "!"
    shop = Shop(stage, title="Z" + "\u0301" * 99, reward="Z" + "\u0316" * 99)
    shop.elsewhere().ask("POST", f"/v1/shops/{shop.shop}/reviews", {"rating": 1, "text": pile})
    shop.keeper.ask("PATCH", f"/v1/campaigns/{shop.campaign}", {"details": pile}, {"If-Match": "*"})
    shop.stamp()
    page = signed_in(stage, shop.customer)
    card = f"/wallet/{shop.cards()[0]['id']}"
    for path, place in ((f"/s/{shop.shop}", ".review"), (f"/c/{shop.campaign}", "main"), (card, "stamp-card")):
        page.goto(path)
        page.locator(place).first.wait_for()
        shown = page.locator("main").evaluate("(each) => each.textContent")
        require((pile if place != "stamp-card" else shop_title(shop)) in shown, f"{path} does not show what was written")
        narrow(page, path)
        require(page.evaluate("1 + 1") == 2, f"{path} does not answer")


def shop_title(shop):
    return shop.keeper.ask("GET", f"/v1/campaigns/{shop.campaign}")["title"]


def missing_and_short_names(stage):
    """Who has no name, a name of one letter, or was erased is still somebody: every link and button has words."""
    shop = Shop(stage, name="x", title="y", reward="z")
    nameless, short = stage.town.person(), stage.town.person("é")
    for author, text in ((nameless, "a"), (short, "b")):
        author.ask("POST", f"/v1/shops/{shop.shop}/reviews", {"rating": 3, "text": text})
    shop.stamp(2)
    Person(stage.town, nameless.phone).ask("DELETE", "/v1/me")
    page = signed_in(stage, shop.customer)
    paths = (f"/s/{shop.shop}", f"/c/{shop.campaign}", "/wallet", f"/wallet/{shop.cards()[0]['id']}", "/me")
    for path in paths:
        page.goto(path)
        page.locator("main a, main button").first.wait_for()
        every_link_speaks(page, path)
    shop.keeper.ask("DELETE", "/v1/me")
    for path in paths:
        page.goto(path)
        page.locator("main h1").first.wait_for()
        every_link_speaks(page, path)
    stage.expect_faults(*REFUSED)


def every_link_speaks(page, path):
    mute = page.eval_on_selector_all("main a, main button", """(all) => all.filter((each) => each.checkVisibility()
        && !(each.getAttribute("aria-label") || each.textContent.trim() || each.querySelector("img[alt]:not([alt=''])")))
        .map((each) => each.outerHTML.slice(0, 90))""")
    require(mute == [], f"{path} has what says nothing: {mute}")


def numbers_of_any_country(stage):
    """A number is understood however its country writes it; what is none is refused in words beside its field."""
    for typed, kept in NUMBERS.items():
        page = stage.open("/sign-in")
        page.fill("#phone", typed)
        page.click("#phone-form [type=submit]")
        if kept is None:
            page.locator("#phone-form .error:not([hidden]), #phone:invalid").first.wait_for()
        else:
            page.fill("#code", page.inner_text("#dev-code strong"))
            page.wait_for_url("**/wallet")
            page.goto("/me")
            sees(page, "#my-phone", kept)
        page.context.close()
    stage.expect_faults(*REFUSED)


def jar(context):
    return {each["name"]: each["value"] for each in context.cookies()}


def doubled_cookies(stage):
    """Of a session that comes twice, one was planted: neither counts, whichever stands first."""
    mine, theirs = Shop(stage), Shop(stage)
    contexts = [stage.context(), stage.context()]
    for shop, context in zip((mine, theirs), contexts):
        let_in(stage, shop.customer, context)
    own, planted = (jar(context)[ACCESS] for context in contexts)
    ask = contexts[0].request
    alone = ask.get("/v1/me", headers={"Cookie": f"{ACCESS}={own}"})
    require(alone.ok and alone.json()["phone"] == mine.customer, "one cookie alone is not accepted")
    for first, second in ((own, planted), (planted, own), (own, own), (own, "")):
        for path in ("/v1/me", "/v1/me/cards"):
            answer = ask.get(path, headers={"Cookie": f"{ACCESS}={first}; language=en; {ACCESS}={second}"})
            require(answer.status == 401, f"{path} with two sessions was answered {answer.status}")
    stage.expect_faults(*REFUSED)


def foreign_cookies(stage):
    """Cookies of somebody else's service, and what was made of ours, sign nobody in and break no page."""
    shop = Shop(stage)
    for value in ("x" * 1_000, "a.b.c", "%00%0d%0a", '"quoted"', "1"):
        context = stage.context()
        context.add_cookies([{"name": name, "value": value, "url": stage.url.replace("http:", "https:"), "secure": True, "httpOnly": True}
                             for name in (ACCESS, REFRESH)])
        context.add_cookies([{"name": "language", "value": value, "url": stage.url}])
        page = stage.open(f"/s/{shop.shop}", context)
        require(page.locator("html").get_attribute("lang") == "en", "a language nobody speaks")
        page.goto("/wallet")
        page.wait_for_url("**/sign-in**")
        context.close()
    stage.expect_faults(*REFUSED)


def stolen_cookies(stage):
    """A copied session ends with the original: signing out everywhere leaves the thief with nothing."""
    shop = Shop(stage)
    shop.stamp(2)
    context, thief = stage.context(), stage.context()
    page = signed_in(stage, shop.customer, context)
    page.wait_for_selector("stamp-card")
    thief.add_cookies(context.cookies())
    theirs = stage.open("/wallet", thief)
    theirs.wait_for_selector("stamp-card")
    page.goto("/me")
    page.click("#sign-out-everywhere")
    if page.locator("dialog").count():
        page.click("dialog .button >> nth=-1")
    page.wait_for_url("**/")
    theirs.goto("/wallet")
    theirs.wait_for_url("**/sign-in**")
    require(theirs.locator("stamp-card").count() == 0, "the thief still sees the card")
    stage.expect_faults(*REFUSED)


def left_open_for_a_week(stage):
    """A page that was left open for a week goes on by itself: its session is renewed, and it shows what happened meanwhile."""
    shop = Shop(stage)
    shop.stamp(2)
    context = stage.context()
    context.clock.install()
    page = signed_in(stage, shop.customer, context)
    sees(page, "stamp-card .count", "2/5")
    page.goto("/me")
    sees(page, "#my-phone", shop.customer)
    expire(context)
    context.clock.fast_forward(WEEK_MS)
    shop.stamp()
    page.click(".tabs a[href='/wallet']")
    sees(page, "stamp-card .count", "3/5")
    # This time the user does not leave the page. The page must renew its live stream and fetch the missed events by itself.
    expire(context)
    context.clock.fast_forward(WEEK_MS)
    shop.stamp()
    sees(page, "stamp-card .count", "4/5")
    stage.expect_faults(*REFUSED)


# A service worker of an older release, which answers from its cache first.
OLDER = """
self.addEventListener("install", (event) => event.waitUntil(caches.open("greentea-shell-older").then(async (cache) => {
  const page = "<!doctype html><title>older</title><h1>An older wallet</h1>";
  await cache.put("/wallet", new Response(page, { headers: { "Content-Type": "text/html" } }));
  await self.skipWaiting();
})));
self.addEventListener("activate", (event) => event.waitUntil(self.clients.claim()));
self.addEventListener("fetch", (event) => {
  if (event.request.mode === "navigate") event.respondWith(caches.match("/wallet").then((kept) => kept ?? fetch(event.request)));
});
"""


def older_service_worker(stage):
    """A browser with the worker of an older release gets this one's pages as soon as it has looked for a newer worker."""
    shop = Shop(stage)
    shop.stamp(2)
    context = stage.context(workers=True)
    served = []

    def older(route):
        served.append(route.request.url)
        route.fulfill(body=OLDER, content_type="text/javascript; charset=utf-8")

    context.route("**/sw.js", older)
    page = signed_in(stage, shop.customer, context)
    page.wait_for_selector("stamp-card")
    page.evaluate("() => navigator.serviceWorker.ready.then(() => true)")
    require(served, "the browser did not ask for a worker")
    page.goto("/wallet")
    sees(page, "h1", "An older wallet")
    context.unroute("**/sw.js")
    # A browser checks for a new service worker only once a day, so the story makes it check now.
    page.evaluate("""async () => {
      const registration = await navigator.serviceWorker.getRegistration();
      const changed = new Promise((done) => navigator.serviceWorker.addEventListener("controllerchange", () => done(true)));
      await registration.update();
      await changed;
    }""")
    page.goto("/wallet")
    sees(page, "stamp-card .count", "2/5")
    require("greentea-shell-older" not in page.evaluate("caches.keys()"), "what the older worker kept is still there")
    stage.expect_faults(*REFUSED)


def two_languages_in_two_tabs(stage):
    """Each tab stays in its language until it is loaded anew: no page speaks two, and refusals are in the page's own."""
    shop = Shop(stage)
    context = stage.context()
    english = signed_in(stage, shop.customer, context)
    sees(english, "main", "No cards")
    chinese = context.new_page()
    chinese.goto("/me")
    chinese.click("footer button[lang='zh-Hans']")
    chinese.wait_for_selector("html[lang='zh-Hans']")
    english.goto("/scan")
    require(english.locator("html").get_attribute("lang") == "zh-Hans", "the choice does not hold for the next page")
    english.goto("/me")
    english.click("footer button[lang='en']")
    english.wait_for_selector("html[lang='en']")
    # The other tab is still in Chinese, although the cookie now says English.
    chinese.fill("#nickname", "x" * 60)
    chinese.evaluate("document.querySelector('#nickname').removeAttribute('maxlength')")
    chinese.fill("#nickname", "x" * 60)
    chinese.click("main form [type=submit] >> nth=0")
    said = chinese.locator("main .error:visible, .toast").first
    said.wait_for()
    require(not any("a" <= letter <= "z" for letter in said.inner_text().replace("nickname", "").lower()), f"it says {said.inner_text()}")
    chinese.reload()
    require(chinese.locator("html").get_attribute("lang") == "en", "a new page has the old language")
    stage.expect_faults(*REFUSED)


STORIES = [
    two_thousand_marks, missing_and_short_names, numbers_of_any_country, doubled_cookies, foreign_cookies, stolen_cookies,
    left_open_for_a_week, older_service_worker, two_languages_in_two_tabs,
]
