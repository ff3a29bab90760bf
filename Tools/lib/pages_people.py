"""What stories of signed-in people have in common: a shop of their own, so that none depends on another, and signing in."""

import time

from pages_town import Person

# The beginnings of the browser's messages about a refusal that a story provokes, and about a connection that a story cuts.
REFUSED = ("console: Failed to load resource", "request: ")
# What a story answers in place of the service. No page has a sentence of its own for this code, so each page shows the detail.
REFUSAL = {"status": 403, "json": {"code": "notNow", "title": "No", "detail": "Not now.", "status": 403}}


class Shop:
    """One shop with a running campaign, its keeper, and the number of a customer."""

    def __init__(self, stage, goal=5, name="好喝奶茶店", title="Ten cups, the eleventh is free", reward="One free drink"):
        self.town = stage.town
        self.keeper = self.town.person()
        self.owner, self.customer = self.keeper.phone, self.town.phone()
        self.shop = self.town.open_shop(self.keeper, name, "南京东路 1 号", 31.23, 121.47)
        self.campaign = self.town.publish(self.keeper, self.shop, title, goal, reward)

    def code(self, stamps=1, valid_for=600):
        issued = self.keeper.ask("POST", f"/v1/campaigns/{self.campaign}/codes", {"stamps": stamps, "validFor": valid_for})
        return issued["code"].replace("-", "")

    def elsewhere(self):
        """The customer on another device."""
        return Person(self.town, self.customer)

    def cards(self):
        return self.elsewhere().ask("GET", "/v1/me/cards?status=collecting,full,redeemed")["items"]

    def stamp(self, stamps=1):
        return self.elsewhere().ask("POST", "/v1/stamps", {"code": self.code(stamps)})


class Failed(AssertionError):
    """A page did not do what the story says."""


def require(condition, text):
    if not condition:
        raise Failed(text)


def signed_in(stage, phone, context=None, at="/wallet", **kind):
    """A browser of somebody who has signed in, at a page.

    A browser that knows nobody yet gets its session without the sign-in page: that page has stories of its own, by pointer, by keyboard
    and with numbers of any country, and all others only need somebody who is signed in.
    """
    context = context or stage.context(**kind)
    if context.cookies():
        page = stage.open("/sign-in", context)
        sign_in(page, phone)
        return stage.go(page, at)
    return stage.go(let_in(stage, phone, context), at)


def let_in(stage, phone, context):
    """Gives somebody's session to a browser, with what the sign-in page keeps beside it: a page of the service that has no script."""
    cookies, account = stage.town.session(phone)
    context.add_cookies(cookies)
    page = stage.open("/robots.txt", context)
    page.evaluate("(kept) => { for (const name in kept) localStorage.setItem(`greentea.${name}`, JSON.stringify(kept[name])); }", account)
    return page


def sign_in(page, phone):
    page.fill("#phone", phone)
    page.click("#phone-form [type=submit]")
    page.fill("#code", page.inner_text("#dev-code strong"))
    page.wait_for_url(lambda address: "/sign-in" not in address)


def unfold(page):
    """Opens the settings of a campaign that are folded away."""
    if page.get_attribute("#more", "open") is None:
        page.click("#more > summary")


def sees(page, selector, text):
    page.locator(selector, has_text=text).first.wait_for()


def until(condition, text, seconds=15):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if condition():
            return
        time.sleep(0.03)
    raise Failed(text)


def refuse(route):
    """Handles a request with a refusal."""
    route.fulfill(**REFUSAL)


def left_nothing(page):
    kept = page.evaluate("""async () => {
        const names = Object.keys(localStorage).concat(Object.keys(sessionStorage));
        for (const name of 'caches' in window ? await caches.keys() : []) {
            for (const request of await (await caches.open(name)).keys()) {
                if (new URL(request.url).pathname.startsWith('/v1/')) names.push(request.url);
            }
        }
        return names;
    }""")
    require(kept == [], f"the browser has kept {kept}")
