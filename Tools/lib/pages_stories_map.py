"""The map of places: where the service has a tile server, and where it has none."""

import re
import urllib.request

from hostile_pictures import png
from pages_people import require
from pages_sheets import Sheet
from pages_stories_counter import waits

TILES = "https://tiles.example"
FLAGS = ["--map-tiles", TILES + "/{z}/{x}/{y}.png", "--map-attribution", "© Tea Maps " + TILES + "/about"]
BUTTON = "#show-map"
# A script that returns the vertical position and the height of the map and of everything around it.
PLACES = """() => [...document.querySelectorAll("h1, h2, #map, .map-box, #map-by, .foot")].map((each) => {
  const { top, height } = each.getBoundingClientRect();
  return [each.tagName, Math.round(top + scrollY), Math.round(height)];
})"""


def mapped(stage):
    """Another server, which has a tile server and a few shops."""
    return stage.another("map", FLAGS, furnish)


def furnish(town):
    owner = town.person("Lin")
    for number, name in enumerate(("Lucky Tea", "<img src=x onerror=document.title='pwned'>")):
        shop = town.open_shop(owner, name, f"{number + 1} Tea Road", 31.2704 - number * 0.04, 121.4737 + number * 0.06)
        town.publish(owner, shop, f"Ten cups {number}")
        town.shop = getattr(town, "shop", shop)


def serve_tiles(context, asked):
    """Answers for the tile server, and notes what it was asked."""
    def answer(route):
        asked.append(route.request)
        route.fulfill(status=200, content_type="image/png", body=png(width=8, height=8))

    context.route(TILES + "/**", answer)


def show(page):
    page.click(BUTTON)
    page.locator(".map .pin").first.wait_for()
    page.locator(".map img.leaflet-tile-loaded").first.wait_for(state="attached")


class MapSheet(Sheet):
    """A page once its map is shown."""

    def __init__(self, name, path):
        super().__init__(name, path, rests=False, faults=(f"request to another host: {TILES}/",))

    def visit(self, stage, page):
        town = mapped(stage)
        page.goto(town.url + self.path(town), wait_until="load")
        page.locator(BUTTON).wait_for()

    def unfold(self, page):
        """Nobody comes with the map open."""
        serve_tiles(page.context, [])
        show(page)


def a_map_is_shown_on_demand(stage):
    """Nothing is asked of the tile server, and nothing of the map is loaded, before somebody wants to see it."""
    town = mapped(stage)
    context, asked, loaded = stage.context(), [], []
    serve_tiles(context, asked)
    context.on("request", lambda request: loaded.append(request.url))
    page = context.new_page()
    page.goto(f"{town.url}/?list=shops&near=31.250,121.500", wait_until="load")
    require(asked == [] and not any("leaflet" in url or "/map." in url for url in loaded), f"loaded without being asked for: {loaded}")
    page.locator("#map-why", has_text="another server").wait_for()
    show(page)
    require(asked and {request.headers.get("referer") for request in asked} == {town.url + "/"}, "tiles learn more than the site")
    require(not any("cookie" in request.headers for request in asked), "tiles get cookies")
    require(page.locator(".map .pin").count() == 2 and page.locator(".map .you").count() == 1, "a place is missing on the map")
    require("© Tea Maps" in page.inner_text("#map-by"), "nobody says who made the map")
    require(page.title() != "pwned", "a name broke out of the map")
    before = len(asked)
    page.get_by_role("button", name="Closer").click()
    for _ in range(100):
        if len(asked) > before:
            break
        page.wait_for_timeout(50)
    require(len(asked) > before, "closer asks for no other tiles")
    # A place on the map is a link, so it can be opened with the keyboard alone.
    page.locator(".map .pin").first.focus()
    require(page.evaluate("document.activeElement.getAttribute('aria-label')") in ("Lucky Tea", town_name(page)), "a place has no name")
    page.keyboard.press("Enter")
    page.wait_for_url(re.compile("/s/shop_"))
    stage.expect_faults(f"request to another host: {TILES}/")


def town_name(page):
    return page.locator("a[data-place]").first.get_attribute("data-name")


def a_map_that_cannot_be_loaded(stage):
    """Without the map's files a sentence says so, and the list is there as before."""
    town = mapped(stage)
    context = stage.context()
    context.route(re.compile("/assets/leaflet"), lambda route: route.abort())
    page = context.new_page()
    page.goto(f"{town.url}/s/{town.shop}", wait_until="load")
    page.click(BUTTON)
    page.locator("#map-why", has_text="could not be loaded").wait_for()
    require(page.locator(BUTTON).is_enabled(), "it cannot be tried again")
    stage.expect_faults("request: ", "console: ")


def a_map_that_comes_late(stage):
    """On a slow line the map has its room from the tap on, which says so: nothing on the page moves when it comes."""
    town = mapped(stage)
    context, held, asked, is_slow = stage.context(), [], [], [True]
    serve_tiles(context, asked)
    context.route(re.compile("/assets/leaflet"), lambda route: held.append(route) if is_slow[0] else route.continue_())
    page = context.new_page()
    page.goto(f"{town.url}/s/{town.shop}", wait_until="load")
    page.click(BUTTON)
    page.locator(".map-box.coming", has_text="The map is coming").wait_for()
    waits(page, lambda: held, "the map is not requested")
    require(not page.is_visible(BUTTON), "it can be asked for twice")
    require(page.evaluate("document.activeElement.className") == "map-box coming", "the focus is lost with the button")
    before = page.evaluate(PLACES)
    is_slow[0] = False
    for route in held:
        route.continue_()
    page.locator(".map .pin").first.wait_for()
    require(held and page.evaluate(PLACES) == before, "the page moves when the map comes")
    stage.expect_faults(f"request to another host: {TILES}/")


def no_map_without_tiles(stage):
    """Distances and directions instead; the policy names no other server there, nor on pages without a map."""
    page = stage.open("/?list=shops&near=31.25,121.50")
    require(page.locator("#map").count() == 0, "a map is offered without tiles")
    require(re.search(r"km south-west", page.locator(".list .row .end").first.inner_text()), "the list says no direction")
    town = mapped(stage)
    for base, path, has_map in (
            (stage.url, "/", False), (stage.url, f"/s/{stage.town.shop}", False),
            (town.url, "/", True), (town.url, f"/s/{town.shop}", True),
            (town.url, "/proof", False), (town.url, "/sign-in", False), (town.url, "/wallet", False)):
        request = urllib.request.Request(base + path, headers={"Accept": "text/html"})
        with urllib.request.urlopen(request, timeout=30) as response:
            policy = response.headers["Content-Security-Policy"]
        require((TILES in policy) == has_map, f"{path}: {policy}")
        require("trusted-types greentea" in policy and "script-src 'self';" in policy, f"{path}: {policy}")


SHEETS = [MapSheet("home-map", lambda town: "/?list=shops"), MapSheet("shop-map", lambda town: f"/s/{town.shop}")]
STORIES = [a_map_is_shown_on_demand, a_map_that_cannot_be_loaded, a_map_that_comes_late, no_map_without_tiles]
