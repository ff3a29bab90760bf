"""Answers that come late at a counter and on the pages around it: the page shows something else by then, which they must not replace."""

import re

from pages_people import REFUSED, Shop, require, sees, signed_in
from pages_stage import TABLET
from pages_stories_counter import waits
from pages_stories_papers import printed
from pages_stories_shops import PICTURE, SUBMIT

CODES = "**/v1/campaigns/*/codes"


class Held:
    """Requests of a page that wait until they are let go. Later ones of the same kind do not wait."""

    def __init__(self, page, pattern):
        self.page, self.pattern, self.routes, self.is_free = page, pattern, [], False
        page.route(pattern, self.take)

    def take(self, route):
        if self.is_free:
            route.continue_()
        else:
            self.routes.append(route)

    def wait(self):
        waits(self.page, lambda: self.routes, f"the page has sent nothing to {self.pattern}")

    def let_go(self):
        """Returns once the page has got the last answer and has had time to draw something."""
        self.is_free = True
        with self.page.expect_response(self.pattern):
            for route in self.routes:
                route.continue_()
        self.page.wait_for_timeout(300)


def collected(shop, staff):
    """The customer collects the code on the screen, which says so."""
    shop.elsewhere().ask("POST", "/v1/stamps", {"code": staff.inner_text("dialog shown-code .code")})
    staff.locator("dialog .success").wait_for()


def a_code_for_a_closed_screen(stage):
    """The next customer's code comes after the screen was closed: it is put away, and no screen opens at a counter where nobody is."""
    shop = Shop(stage)
    staff = signed_in(stage, shop.owner, size=TABLET, at="/counter")
    staff.click("#show-code")
    collected(shop, staff)
    held = Held(staff, CODES)
    staff.click("dialog button >> text=New code for one stamp")
    held.wait()
    staff.click("dialog .screen-bar button")
    staff.locator("dialog").wait_for(state="detached")
    held.let_go()
    require(staff.locator("dialog").count() == 0, "a screen has opened by itself")
    sees(staff, "#put-away", "still works, until")
    staff.click("#put-away >> text=Show it again")
    sees(staff, "dialog", "Scan for one stamp")
    require(staff.locator("#put-away .note").count() == 0, "a code is shown and put away at once")


def a_code_put_away_before_another_is_cancelled(stage):
    """A code is cancelled, and before the answer comes the next one is put away: the page still says that this one works."""
    shop = Shop(stage)
    staff = signed_in(stage, shop.owner, size=TABLET, at="/counter")

    def put_away():
        staff.click("#show-code")
        staff.locator("dialog shown-code .code").wait_for()
        staff.click("dialog .screen-bar button")
        staff.locator("dialog").wait_for(state="detached")

    put_away()
    held = Held(staff, "**/v1/codes/*")
    staff.click("#put-away >> text=Cancel the code")
    held.wait()
    put_away()
    held.let_go()
    sees(staff, ".toast", "The code works no more")
    require(staff.locator("#put-away .note").count() == 1, "nothing tells that the second code still works")


def a_code_for_an_earlier_choice(stage):
    """A code says what it was asked for, although another number and another campaign are chosen before it comes."""
    shop = Shop(stage, title="Ten cups")
    shop.town.publish(shop.keeper, shop.shop, "Three pots", 3, "A pot")
    staff = signed_in(stage, shop.owner, size=TABLET, at="/counter")
    staff.select_option("#campaign", label="Ten cups")
    held = Held(staff, CODES)
    staff.click("#show-code")
    held.wait()
    staff.click("#stamps button >> nth=4")
    staff.select_option("#campaign", label="Three pots")
    held.let_go()
    shown = staff.inner_text("dialog")
    require("Scan for one stamp" in shown and "Ten cups" in shown, f"the screen says: {shown}")
    collected(shop, staff)
    sees(staff, "dialog .success", "One stamp given")
    card = shop.cards()[0]
    require((card["goal"], card["stamps"]) == (5, 1), f"the code was for another card: {card}")


def a_code_that_replaces_a_used_one(stage):
    """A code is used in its last second, while the next one is asked for: the success stays, and the next code is put away."""
    shop = Shop(stage)
    staff = signed_in(stage, shop.owner, size=TABLET, at="/counter")
    staff.click("#show-code")
    staff.locator("dialog shown-code .code").wait_for()
    held = Held(staff, CODES)
    staff.evaluate("document.querySelector('dialog shown-code').dispatchEvent(new Event('expired'))")
    held.wait()
    collected(shop, staff)
    held.let_go()
    sees(staff, "dialog .success", "One stamp given")
    require(staff.locator("dialog shown-code").count() == 0, "the success is gone")
    staff.click("dialog .screen-bar button")
    sees(staff, "#put-away", "still works, until")
    stage.expect_faults(*REFUSED)


def stamps_after_rewards_were_chosen(stage):
    """The list of stamps comes after somebody has chosen the rewards: the rewards stay, and no stamp is drawn as one."""
    shop = Shop(stage, goal=1)
    code = shop.elsewhere().ask("POST", f"/v1/cards/{shop.stamp()['card']['id']}/redemption")["code"]
    shop.keeper.ask("POST", "/v1/redemptions", {"code": code})
    shop.keeper.ask("POST", f"/v1/campaigns/{shop.campaign}/stamps", {"paper": printed(shop)[0], "stamps": 1})
    staff = signed_in(stage, shop.owner, size=TABLET)
    held = Held(staff, "**/v1/shops/*/stamps?*")
    staff.goto("/counter/today")
    held.wait()
    staff.click("[data-kind=redemptions]")
    sees(staff, "#today .row", "One reward")
    held.let_go()
    rows = staff.locator("#today .row").all_inner_texts()
    require(len(rows) == 1 and "One reward" in rows[0], f"the list of rewards has become: {rows}")
    require(staff.locator("#today [role=alert]").count() == 0, "the list of rewards has become a problem")
    staff.click("[data-kind=stamps]")
    sees(staff, "#today .row", "on a paper card")


def typed_before_the_answer(stage):
    """The next customer's number, and another number of stamps, are typed before an answer: they neither go nor change what it says."""
    shop = Shop(stage)
    staff = signed_in(stage, shop.owner, size=TABLET, at="/counter")
    staff.locator("#stamps .chip").first.wait_for()
    for field, sent, following in (("phone", shop.customer, stage.town.phone()), ("paper", *printed(shop, 2))):
        entry, submit = f"#{field}-form input", f"#{field}-form [type=submit]"
        held = Held(staff, "**/v1/campaigns/*/stamps")
        staff.click("#stamps button >> nth=1")
        staff.fill(entry, sent)
        staff.click(submit)
        held.wait()
        staff.fill(entry, following)
        staff.click("#stamps button >> nth=2")
        typed = staff.input_value(entry)
        held.let_go()
        sees(staff, "#given .note", "2 stamps were given")
        require(staff.input_value(entry) == typed, f"what was typed for the next customer has become: {staff.input_value(entry)}")
        staff.click(submit)
        sees(staff, "#given .note", "3 stamps were given")
        require(staff.input_value(entry) == "", "what was sent stays for the next customer")


# Taps the button of a form, and returns the names of the writes without an answer: a write that the tap begins is among them at once.
TAP = """() => {
  document.querySelector("main form [type=submit]").click();
  return Object.keys(JSON.parse(localStorage.getItem("greentea.pending") ?? "{}"));
}"""


def tapped_again_before_the_next_page(stage):
    """A shop is opened, and then a campaign published. The next page is slow, and the button is tapped again: nothing is made twice."""
    owner = stage.town.person()
    page = signed_in(stage, owner.phone, at="/shops")
    page.click("#open-shop")
    for field, text in (("name", "Tea"), ("phone", "021-5555 0100"), ("address", "1 Tea Road"), ("location", "31.2304, 121.4737")):
        page.fill(f"#field-{field}", text)
    sent_once(page)
    require(len(owner.ask("GET", "/v1/me/shops")["items"]) == 1, "the shop is opened twice")
    page.goto(f"{page.evaluate('location.pathname')}/campaign")
    for field, text in (("title", "Three cups"), ("goal", "3"), ("reward", "A free cup")):
        page.fill(f"#field-{field}", text)
    sent_once(page)
    sees(page, ".list .row", "Three cups")
    require(page.locator(".list .row").count() == 1, "the campaign is published twice")


def sent_once(page):
    """Taps the button of the form, and again when the next page was asked for. That page comes only after the second tap."""
    pattern = re.compile(r"/shop/shop_\w+(/campaigns)?$")
    # The answer 204 leaves the browser at the page that it has.
    page.route(pattern, lambda route: route.fulfill(status=204))
    with page.expect_request(pattern) as asked:
        page.evaluate(TAP)
    begun = page.evaluate(TAP)
    require(begun == [], f"a second tap has begun: {begun}")
    page.unroute(pattern)
    page.goto(asked.value.url)


def a_paper_taken_before_the_answer(stage):
    """Somebody takes a paper before the page knows that they work at another shop: it does not lead them to their counter any more."""
    shop, other = Shop(stage), Shop(stage)
    page, left = signed_in(stage, other.owner), []
    held = Held(page, "**/v1/me/shops")
    page.goto(f"/p/{printed(shop)[0]}")
    held.wait()
    page.click("#take-paper")
    sees(page, "h1", "This paper is yours now")
    page.on("request", lambda request: left.append(request.url) if request.is_navigation_request() else None)
    held.let_go()
    require(left == [], f"the page leads to {left}")


def typed_while_a_shop_is_saved(stage):
    """The owner goes on typing before the answer to a save comes: what was typed stays, and the next save has it."""
    shop = Shop(stage)
    path = f"/v1/shops/{shop.shop}"
    page = signed_in(stage, shop.owner, at=f"/shop/{shop.shop}/edit")
    page.fill("#field-name", "First")
    held = Held(page, f"**{path}")
    page.click("main form [type=submit]")
    held.wait()
    page.fill("#field-phone", "010-8765 4321")
    held.let_go()
    sees(page, ".toast", "Saved.")
    require(page.input_value("#field-phone") == "010-8765 4321", "what was typed is gone")
    page.click("main form [type=submit]")
    waits(page, lambda: shop.keeper.ask("GET", path)["phone"] == "+861087654321", "what was typed is not saved")
    require(shop.keeper.ask("GET", path)["name"] == "First", "the first save is lost")


def sent_before_its_picture(stage):
    """A campaign is published while its picture is still being sent: the form waits for it and has the picture."""
    shop, posted = Shop(stage), []
    page = signed_in(stage, shop.owner, at=f"/shop/{shop.shop}/campaign")
    page.on("request", lambda request: posted.append(request) if request.method == "POST" and "/campaigns" in request.url else None)
    for field, text in (("title", "Three cups"), ("goal", "3"), ("reward", "A free cup")):
        page.fill(f"#field-{field}", text)
    held = Held(page, "**/v1/images")
    page.click("#more > summary")
    page.set_input_files("#field-image", PICTURE)
    held.wait()
    page.click(SUBMIT)
    page.locator(f"{SUBMIT}[aria-busy]").wait_for()
    require(posted == [], "the campaign is published without its picture")
    held.let_go()
    sees(page, ".list .row", "Three cups")
    require([bool(request.post_data_json["image"]) for request in posted] == [True], "the campaign has no picture")


STORIES = [
    a_code_for_a_closed_screen, a_code_put_away_before_another_is_cancelled, a_code_for_an_earlier_choice,
    a_code_that_replaces_a_used_one, stamps_after_rewards_were_chosen, typed_before_the_answer, tapped_again_before_the_next_page,
    a_paper_taken_before_the_answer, typed_while_a_shop_is_saved, sent_before_its_picture,
]
