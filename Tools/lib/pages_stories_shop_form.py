"""Opening a shop, and the row of its places: what nobody should have to type or to look for."""

from pages_people import REFUSED, Shop, require, sees, signed_in, until
from pages_stories_map import TILES, mapped, serve_tiles

LINKS = [
    ("https://www.google.com/maps/place/Tea/@31.1,121.1,17z/data=!4m6!3m5!8m2!3d31.2304!4d121.4737", "31.2304, 121.4737"),
    ("https://maps.apple.com/?ll=31.2304,121.4737&q=Tea", "31.2304, 121.4737"),
    ("https://www.openstreetmap.org/#map=17/-33.9/151.2", "-33.9, 151.2"), ("geo:31.2304,121.4737?z=17", "31.2304, 121.4737"),
]
LAPTOP = {"width": 1180, "height": 820}
CHOSEN = """() => [...document.querySelectorAll(".filters > *")].map((each) => [
  each.matches("[aria-current], [aria-pressed=true]"), getComputedStyle(each, "::before").content !== "none"])"""


def form(stage, **kind):
    page = signed_in(stage, stage.town.phone(), at="/shops", **kind)
    page.click("#open-shop")
    page.locator("#field-name").wait_for()
    return page


def a_place_from_a_link(stage):
    """A pasted link of a map becomes a place; a link without one, and one of a shifted map, have words on what to do."""
    page = form(stage)
    for link, place in LINKS:
        page.fill("#field-location", link)
        require(page.input_value("#field-location") == place, f"{link} is read as {page.input_value('#field-location')}")
    sees(page, "main form .hint", "Taken from the link.")
    page.fill("#field-location", "https://maps.app.goo.gl/abc")
    sees(page, "main form .hint", "This link names no place.")
    page.fill("#field-location", "https://uri.amap.com/marker?position=121.4737,31.2304")
    sees(page, "main form .hint", "This map shifts its places")
    names = ["name", "address", "location", "region", "phone", "timeZone"]
    tops = page.evaluate("(names) => names.map((each) => document.getElementById(`field-${each}`).offsetTop)", names)
    require(tops == sorted(tops), "the first thing that one types is not the name")
    stage.expect_faults(*REFUSED)


def a_place_from_the_map(stage):
    """Where the service has a map, the shop's place is the point below the pin."""
    town = mapped(stage)
    context = stage.context()
    serve_tiles(context, [])
    cookies, account = town.session(town.phone())
    context.add_cookies(cookies)
    page = context.new_page()
    page.goto(town.url + "/robots.txt")
    page.evaluate("(kept) => { for (const name in kept) localStorage.setItem(`greentea.${name}`, JSON.stringify(kept[name])); }", account)
    page.goto(town.url + "/shops")
    page.click("#open-shop")
    page.fill("#field-location", "31.2304, 121.4737")
    page.click("text=Choose on a map")
    page.locator(".map img.leaflet-tile-loaded").first.wait_for(state="attached")
    page.locator(".map").focus()
    page.keyboard.press("ArrowRight")
    until(lambda: page.input_value("#field-location") != "31.2304, 121.4737", "moving the map chooses no place")
    latitude, longitude = [float(each) for each in page.input_value("#field-location").split(", ")]
    require(abs(latitude - 31.2304) < 0.01 and 121.4737 < longitude < 121.49, f"the pin is at {latitude}, {longitude}")
    stage.expect_faults(*REFUSED, f"request to another host: {TILES}/")


def a_zone_by_its_city(stage):
    """The browser's zone comes first and is chosen, others are found by their city, and the clock there is shown."""
    page = form(stage, timezone_id="Europe/Berlin")
    first = page.locator("#field-timeZone option").first.inner_text()
    require(first == "Berlin (Europe), this device", f"the first city is {first}")
    require(page.input_value("#field-timeZone") == "Europe/Berlin", "the browser's zone is not chosen")
    page.select_option("#field-timeZone", label="Tokyo (Asia)")
    sees(page, "#hint-timeZone", "Japan Standard Time")
    shop = Shop(stage)
    shop.keeper.ask("PATCH", f"/v1/shops/{shop.shop}", {"timeZone": "UTC"}, {"If-Match": "*"})
    edit = signed_in(stage, shop.owner, at=f"/shop/{shop.shop}/edit")
    until(lambda: edit.input_value("#field-timeZone") == "UTC", "a zone that is no city is lost")
    stage.expect_faults(*REFUSED)


def places_in_one_row(stage):
    """The places of a shop are in one row: all on a laptop, and on a phone a row that scrolls to the current place."""
    shop = Shop(stage)
    for size in (LAPTOP, {"width": 360, "height": 740}):
        page = signed_in(stage, shop.owner, size=size, at=f"/shop/{shop.shop}/closing")
        page.locator(".places [aria-current]").wait_for()
        tops = set(page.eval_on_selector_all(".places > a", "(all) => all.map((each) => each.offsetTop)"))
        require(len(tops) == 1, f"{size}: the places are in {len(tops)} rows")
        room = page.evaluate("(({ scrollWidth, clientWidth }) => clientWidth - scrollWidth)(document.querySelector('.places'))")
        require(size is not LAPTOP or room >= 0, f"the places are {-room} px wider than a laptop's page")
        place, row = page.locator(".places [aria-current]").bounding_box(), page.locator(".places").bounding_box()
        ends = [each["x"] + each["width"] for each in (place, row)]
        require(row["x"] <= place["x"] and ends[0] <= ends[1] + 1, f"{size}: the current place is not shown")
    stage.expect_faults(*REFUSED)


def chosen_filters(stage):
    """Of the filters of a list, the chosen ones are marked, by more than a colour, and no others."""
    shop = Shop(stage)
    page = signed_in(stage, shop.owner)
    for address in ("/", "/?kind=promotion", "/wallet", "/counter/today"):
        page.goto(address)
        page.locator(".filters > *").first.wait_for()
        states = page.evaluate(CHOSEN)
        require(all(chosen == marked for chosen, marked in states), f"{address}: {states}")
        require({chosen for chosen, _ in states} == {True, False}, f"{address}: {states}")
    stage.expect_faults(*REFUSED)


def a_coupon_in_words(stage):
    """The form of a coupon speaks of coupons, and of cards again once another kind is chosen."""
    shop = Shop(stage)
    page = signed_in(stage, shop.owner, at=f"/shop/{shop.shop}/campaign")
    page.click("#more > summary")
    coupon, card = ["What the coupon is for", "Days that a coupon is good"], ["Reward", "Days that a card is good"]
    for kind, words in (("coupon", coupon), ("stampCard", card)):
        page.check(f"#kind-{kind}")
        labels = [page.inner_text(f"label[for=field-{name}]") for name in ("reward", "cardValidDays")]
        require(labels == words, f"{kind}: {labels}")
        require(("card" in page.inner_text("#hint-endsAt")) == (kind == "stampCard"), f"{kind}: {page.inner_text('#hint-endsAt')}")
    stage.expect_faults(*REFUSED)


def shared_campaigns_are_counted(stage):
    """The list of shops counts the campaigns that a shop shares."""
    shop = Shop(stage, name="Quince House One")
    stage.town.open_shop(shop.keeper, "Quince House Two", "2 Tea Road", 31.23, 121.47)
    second = next(each["id"] for each in shop.keeper.ask("GET", "/v1/me/shops")["items"] if each["id"] != shop.shop)
    shop.keeper.ask("PATCH", f"/v1/campaigns/{shop.campaign}", {"shops": [second]}, {"If-Match": "*"})
    page = stage.open("/?list=shops&q=Quince")
    rows = page.locator("main .list li")
    until(lambda: page.reload() and rows.count() == 2, "the shops are not found")
    require(all("campaign" in text for text in rows.all_inner_texts()), f"{rows.all_inner_texts()}")


STORIES = [
    a_place_from_a_link, a_place_from_the_map, a_zone_by_its_city, places_in_one_row, chosen_filters, a_coupon_in_words,
    shared_campaigns_are_counted,
]
