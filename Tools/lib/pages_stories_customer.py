"""What a customer does beside collecting: reviews, favourites, mutes, another number, coupons; and pages of scanned badges."""

import re
from datetime import datetime, timedelta, timezone

from pages_people import REFUSED, Shop, let_in, require, sees, sign_in, signed_in, until
from pages_sheets import Sheet
from pages_stage import TABLET
from pages_town import HOSTILE, Person

MARKS = "Z" + "\u0301\u0316" * 999


def badge_opens_the_counter(stage):
    """A badge that a phone's own camera opens: staff give stamps by it, others hear what it is, and the address keeps no code."""
    shop = Shop(stage)
    customer = shop.elsewhere()
    path = "/b/" + customer.ask("GET", "/v1/me/badge")["payload"].split("/b/")[1]
    other = signed_in(stage, stage.town.phone(), at=path)
    sees(other, "h1", "A customer's badge")
    require(other.locator("text=" + path[3:]).count() == 0, "the page shows the badge's code")
    staff = signed_in(stage, shop.owner, size=TABLET, at=path)
    staff.wait_for_selector("#badge-offer .note")
    require(staff.url.endswith("/counter"), f"the badge has stayed in the address: {staff.url}")
    staff.click("#stamps button >> nth=2")
    staff.click("#badge-offer .button")
    sees(staff, "#given", "3 stamps")
    require(shop.cards()[0]["stamps"] == 3, "the stamps are not on the card")
    require(staff.locator("#badge-offer .note").count() == 0, "the badge could be used for the next customer")
    # A member of staff who is not signed in yet scans the badge, signs in, and returns to the badge.
    late = stage.context(size=TABLET).new_page()
    late.goto("/b/" + customer.ask("GET", "/v1/me/badge")["payload"].split("/b/")[1])
    late.click("#badge-staff")
    late.wait_for_url("**/sign-in**")
    sign_in(late, shop.owner)
    late.wait_for_selector("#badge-offer .note")
    late.keyboard.press("Enter")
    until(lambda: shop.cards()[0]["stamps"] == 4, "the badge was lost on the way through signing in")
    stage.expect_faults(*REFUSED)


def made_up_badges(stage):
    """A badge that nobody has made is refused in words; what cannot be one has no page."""
    shop = Shop(stage)
    staff = signed_in(stage, shop.owner, at="/b/" + "A" * 64)
    staff.click("#badge-offer .button")
    sees(staff, ".toast", "Ask the customer to show it again")
    require(shop.cards() == [], "a made-up badge has given a stamp")
    page = stage.context().new_page()
    for text in ("A" * 63, "A" * 65, "A" * 63 + "!", "%3Cb%3E" + "A" * 61):
        require(page.goto(f"/b/{text}").status == 404, f"/b/{text} has a page")
    stage.expect_faults(*REFUSED)


def review_story(stage):
    """A review with stars and words, an answer by the shop, one to that, and its end: each seen at once, also after a reload."""
    shop = Shop(stage)
    customer, owner = signed_in(stage, shop.customer, at=f"/s/{shop.shop}"), signed_in(stage, shop.owner, size=TABLET)
    customer.wait_for_selector("#mute button")
    customer.click("#write-review")
    customer.locator("#review-form .star-choice label >> nth=3").click()
    customer.fill("#review-text", "Fine oolong.\n<b>Friendly</b>")
    customer.click("#review-form [type=submit]")
    sees(customer, "#review-list .review", "<b>Friendly</b>")
    sees(customer, "#rating .average", "4.0")
    customer.reload()
    sees(customer, "#review-list .review", "Fine oolong.")
    customer.wait_for_selector("text=Take it down")
    owner.goto(f"/s/{shop.shop}")
    owner.locator("#review-list .review button", has_text="Answer").click()
    require(owner.locator("text=Take it down").count() == 0, "somebody may take down what others wrote")
    owner.locator(".acts textarea").fill("Thank you!")
    owner.locator(".acts [type=submit]").click()
    sees(owner, ".replies .review", "Thank you!")
    sees(owner, ".replies .review", "The shop")
    customer.reload()
    customer.locator(".replies .review button", has_text="Answer").click()
    customer.locator(".replies textarea").fill("See you.")
    customer.locator(".replies [type=submit]").click()
    sees(customer, ".replies .replies .review", "See you.")
    customer.locator("#review-list > .review > .buttons button", has_text="Take it down").click()
    customer.click("dialog .danger")
    sees(customer, "#review-list > .review", "This review was taken down.")
    sees(customer, ".replies .review", "Thank you!")
    until(lambda: customer.locator("#rating").count() == 0, "the stars of a review that is gone still count")
    owner.click("#write-review")
    owner.locator("#review-form .star-choice label >> nth=4").click()
    owner.click("#review-form [type=submit]")
    sees(owner, "#review-form [role=alert]", "Its people cannot review it")
    stage.expect_faults(*REFUSED)


def reviews_by_keyboard_and_without_a_session(stage):
    """The link leads through signing in; stars are radio buttons for whoever has no pointer; an empty review is refused in words."""
    shop = Shop(stage)
    page = stage.context().new_page()
    page.goto(f"/s/{shop.shop}")
    require(page.locator("text=Take it down").count() == 0 and page.locator("#mute button").count() == 0, "a stranger sees what is others'")
    page.click("#write-review")
    page.wait_for_url("**/sign-in**")
    sign_in(page, shop.customer)
    page.wait_for_url(f"**/s/{shop.shop}#reviews")
    page.wait_for_selector("#mute button")
    page.focus("#write-review")
    page.keyboard.press("Enter")
    page.click("#review-form [type=submit]")
    page.locator("#review-form [role=alert]:not([hidden])").wait_for()
    page.focus("#review-form input")
    for key in ("Space", "ArrowRight", "ArrowRight", "ArrowRight", "ArrowRight"):
        page.keyboard.press(key)
    outline = page.evaluate("getComputedStyle(document.activeElement.nextElementSibling).outlineStyle")
    require(outline != "none", "the chosen star cannot be seen")
    page.keyboard.press("Tab")
    page.keyboard.type("By keyboard")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    sees(page, "#review-list .review", "By keyboard")
    require(shop.keeper.ask("GET", f"/v1/shops/{shop.shop}")["rating"]["average"] == 5, "the stars are not five")
    require(page.evaluate("document.activeElement.dataset.review") is not None, "the new review has not got the focus")
    stage.expect_faults(*REFUSED)


def hostile_reviews(stage):
    """What others wrote stays text when the list is drawn by a script, and no page gets wider than the phone."""
    shop = Shop(stage)
    for name in [*HOSTILE, MARKS]:
        stage.town.person(name[:50]).ask("POST", f"/v1/shops/{shop.shop}/reviews", {"rating": 3, "text": name})
    page = signed_in(stage, shop.customer, at=f"/s/{shop.shop}")
    page.locator("#review-list button", has_text="Answer").first.wait_for()
    shown = page.locator("#review-list .lines").all_inner_texts()
    require(shown[0] == MARKS and len(shown) == 10, "a review was changed")
    require(page.locator("#review-list [onerror], #review-list script, #review-list b").count() == 0, "a review became markup")
    require("pwned" not in page.title(), "a review has become a script")
    page.click("#older-reviews")
    page.wait_for_url("**?reviews=*")
    sees(page, "#review-list", HOSTILE[0])
    page.locator("#review-list button", has_text="Answer").first.wait_for()
    require(page.locator("#review-list > .review").count() == len(HOSTILE) + 1 - 10, "the second page has other reviews")
    require(page.evaluate("() => document.documentElement.scrollWidth - innerWidth") <= 0, "the page is wider than the screen")


def favourites(stage):
    """The heart keeps a campaign, also for somebody who has yet to sign in; the list has it, and takes it away."""
    shop = Shop(stage)
    page = stage.context().new_page()
    page.goto(f"/c/{shop.campaign}")
    page.click("#favorite")
    page.wait_for_url("**/sign-in**")
    sign_in(page, shop.customer)
    page.locator("#favorite[aria-pressed=true]").wait_for()
    page.reload()
    page.locator("#favorite[aria-pressed=true]").wait_for()
    page.goto("/me")
    page.click("#my-favorites summary")
    sees(page, "#my-favorites .row", "Ten cups, the eleventh is free")
    page.locator("#my-favorites button").click()
    sees(page, "#my-favorites", "Nothing yet")
    require(shop.elsewhere().ask("GET", "/v1/me/favorites")["items"] == [], "the favourite is still there")
    stage.expect_faults(*REFUSED)


def mutes(stage):
    """A shop is muted on its page and heard again from the list of one's own."""
    shop = Shop(stage, name=HOSTILE[0][:50])
    page = signed_in(stage, shop.customer, at=f"/s/{shop.shop}")
    page.click("#mute button")
    sees(page, ".toast", "is muted")
    sees(page, "#mute", "again")
    page.goto("/me")
    page.click("#my-mutes summary")
    sees(page, "#my-mutes .row", HOSTILE[0][:50])
    page.locator("#my-mutes button").click()
    sees(page, "#my-mutes", "Shops where you collect may write to you")
    require(shop.elsewhere().ask("GET", "/v1/me/mutes")["items"] == [], "the shop is still muted")


def mutes_beside_the_messages(stage):
    """A shop is muted from its message, is listed below the messages, and is heard again from there."""
    shop = Shop(stage, name=HOSTILE[1][:50])
    shop.stamp()
    shop.keeper.ask("POST", "/v1/notices", {"title": "New tea", "text": "Come and taste.", "audience": "shop", "shop": shop.shop})
    page = signed_in(stage, shop.customer, at="/messages")
    sees(page, "#messages .row", "New tea")
    page.click("#muted summary")
    sees(page, "#muted-list", "Shops where you collect may write to you")
    page.click("#messages .row button")
    sees(page, ".toast", "is muted")
    sees(page, "#muted-list .row", HOSTILE[1][:50])
    require(len(shop.elsewhere().ask("GET", "/v1/me/mutes")["items"]) == 1, "the shop is not muted")
    page.click("#muted-list button")
    sees(page, "#muted-list", "Shops where you collect may write to you")
    require(shop.elsewhere().ask("GET", "/v1/me/mutes")["items"] == [], "the shop is still muted")


def another_number(stage):
    """A fresh session needs the new number's code alone, an older one the present number's too; then the new number signs in."""
    shop = Shop(stage)
    page = signed_in(stage, shop.customer)
    first, second = stage.town.phone(), stage.town.phone()
    page.goto("/me")
    changes(page, first)
    sees(page, ".toast", "The number is changed")
    sees(page, "#my-phone", first)
    # A session that began with a password does not prove that its owner holds the phone number. So changing the number also needs a code
    # that is sent to the present number.
    person = Person(stage.town, first)
    code = stage.town.ask("POST", "/v1/verifications", {"phone": first})["devCode"]
    person.ask("PUT", "/v1/me/password", {"new": "correct horse", "code": code})
    late = stage.open("/sign-in")
    late.fill("#phone", first)
    late.click("#with-password")
    late.fill("#password", "correct horse")
    late.click("#password-form [type=submit]")
    late.wait_for_url("**/wallet")
    late.goto("/me")
    changes(late, second)
    late.wait_for_selector("#present-phone-code")
    late.fill("#present-phone-code", digits(late, ".dev-code >> nth=1"))
    late.click("#phone-change [type=submit]")
    sees(late, "#my-phone", second)
    again = signed_in(stage, second, at="/me")
    changes(again, shop.owner)
    sees(again, "#phone-change [role=alert]", "belongs to somebody")
    stage.expect_faults(*REFUSED)


def changes(page, phone):
    page.click("#change-phone")
    page.fill("#new-phone", phone)
    page.click("#phone-change [type=submit]")
    page.fill("#new-phone-code", digits(page, ".dev-code"))
    page.click("#phone-change [type=submit]")


def digits(page, selector):
    return re.findall(r"\d{6}", page.inner_text(selector))[-1]


def coupon(stage):
    """A coupon is claimed on its page, once; it waits in the wallet and is redeemed at the counter like a full card."""
    shop = Shop(stage)
    coupons = publish_coupon(shop.keeper, shop.shop, "One free topping")
    page = stage.context().new_page()
    page.goto(f"/c/{coupons}")
    sees(page, ".card", "One free topping")
    page.click("#claim")
    page.wait_for_url("**/sign-in**")
    sign_in(page, shop.customer)
    sees(page, "#claimed", "The coupon is yours")
    page.goto("/wallet")
    sees(page, "stamp-card", "One free topping")
    require(page.locator("stamp-card .coupon").bounding_box()["height"] > 50, "a coupon's card is half empty")
    stale = signed_in(stage, shop.customer)
    stale.route(f"**/v1/campaigns/{coupons}", lambda route: route.fulfill(json={"isFavorite": False}))
    stale.goto(f"/c/{coupons}")
    stale.click("#claim")
    sees(stale, "#claimed", "claimed this coupon before")
    again = signed_in(stage, shop.customer, at=f"/c/{coupons}")
    sees(again, "#claimed", "You have claimed this coupon.")
    for each in (stale, again):
        require(not each.locator("#claim").is_visible(), "a claimed coupon is offered to be claimed")
    again.click("#claimed a")
    again.wait_for_url("**/wallet/card_*")
    page.click("text=Get the reward")
    page.click("text=Show the code")
    code = page.inner_text("dialog shown-code .code").replace("-", "")
    shop.keeper.ask("POST", "/v1/redemptions", {"code": code})
    sees(page, ".success", "Enjoy!")
    staff = signed_in(stage, shop.owner, at=f"/c/{coupons}")
    staff.click("#claim")
    sees(staff, "#claimed [role=alert]", "Its people cannot claim")
    stage.expect_faults(*REFUSED)


def publish_coupon(owner, shop, reward):
    now = datetime.now(timezone.utc)
    start, end = [(now + timedelta(days=days)).isoformat().replace("+00:00", "Z") for days in (-1, 30)]
    return owner.ask("POST", f"/v1/shops/{shop}/campaigns", {
        "kind": "coupon", "title": reward, "details": "", "reward": reward, "startsAt": start, "endsAt": end})["id"]


STORIES = [
    badge_opens_the_counter, made_up_badges, review_story, reviews_by_keyboard_and_without_a_session, hostile_reviews, favourites,
    mutes, mutes_beside_the_messages,
    another_number, coupon,
]


def reviewer(stage, context):
    let_in(stage, stage.town.customer.phone, context).close()


def coupons(town):
    """A campaign of coupons at a shop of its own, the same for each look."""
    if not hasattr(town, "coupons"):
        owner = town.person("Wu")
        shop = town.open_shop(owner, "Coupon shop", "1 Tea Road", 31.1, 121.4)
        town.coupons = publish_coupon(owner, shop, "One free topping")
    return f"/c/{town.coupons}"


SHEETS = [
    Sheet("campaign-coupon", coupons, "#claim:not([hidden])"),
    Sheet("badge-link", "/b/" + "A" * 64, "#badge-staff"),
    Sheet("shop-signed-in", lambda town: f"/s/{town.shop}", ".review .buttons", reviewer),
    Sheet("campaign-signed-in", lambda town: f"/c/{town.campaign}", "#favorite:not([hidden])", reviewer),
]
