"""One customer after the other at a counter: what is said of the stamps of one, and what must not stay for the next."""

from datetime import datetime, timedelta, timezone

from pages_people import REFUSED, Shop, refuse, require, sees, signed_in, until
from pages_stage import TABLET
from pages_stories_counter import waits
from pages_stories_late import CODES, Held, collected

# In milliseconds, a little more than the minute for which stamps can be taken back.
MINUTE_MS = 61_000
# The size of the area that a browser on a common phone leaves to a page.
SMALL = {"width": 390, "height": 664}


def close(staff):
    staff.keyboard.press("Escape")
    staff.locator("dialog").wait_for(state="detached")


def the_number_of_stamps(stage):
    """Closing the screen sets the number back to one; a code that was put away keeps its own, and so does the code that replaces it."""
    shop = Shop(stage)
    staff = signed_in(stage, shop.owner, size=TABLET, at="/counter")
    staff.click("#stamps button >> nth=2")
    staff.click("#show-code")
    sees(staff, "dialog", "Scan for 3 stamps")
    collected(shop, staff)
    close(staff)
    require(staff.get_attribute("#stamps button >> nth=0", "aria-pressed") == "true", "the next customer gets the number of the one before")
    staff.click("#show-code")
    sees(staff, "dialog", "Scan for one stamp")
    close(staff)
    staff.click("#stamps button >> nth=1")
    staff.click("#show-code")
    sees(staff, "dialog", "Scan for 2 stamps")
    close(staff)
    staff.click("#put-away >> text=Show it again")
    sees(staff, "dialog", "Scan for 2 stamps")
    code = staff.inner_text("dialog shown-code .code")
    staff.evaluate("document.querySelector('dialog shown-code').dispatchEvent(new Event('expired'))")
    waits(staff, lambda: staff.inner_text("dialog shown-code .code") != code, "the code is not replaced")
    sees(staff, "dialog", "Scan for 2 stamps")
    stage.expect_faults(*REFUSED)


def undone_on_the_screen(stage):
    """Undo on a code's screen tells there what it did: why it was refused, or, in place of the stamps given, that they were taken back."""
    shop = Shop(stage, goal=1)
    staff = signed_in(stage, shop.owner, size=TABLET, at="/counter")
    undo = staff.locator("dialog button", has_text="Undo")
    staff.click("#show-code")
    collected(shop, staff)
    code = shop.elsewhere().ask("POST", f"/v1/cards/{shop.cards()[0]['id']}/redemption")["code"]
    shop.keeper.ask("POST", "/v1/redemptions", {"code": code})
    undo.click()
    sees(staff, "dialog .note [role=alert]", "can no longer be taken back")
    sees(staff, "dialog .success", "One stamp given")
    staff.click("dialog button >> text=New code for one stamp")
    collected(shop, staff)
    undo.click()
    sees(staff, "dialog h2", "One stamp was taken back")
    require("given" not in staff.inner_text("dialog"), "the screen says that the stamp is given still")
    require(staff.evaluate("document.activeElement.textContent") == "New code for one stamp", "the focus is lost with the button")
    stage.expect_faults(*REFUSED)


def what_was_said_of_the_last_one(stage):
    """Whose number got stamps, and on which card, is said for a minute, and until the next code is shown."""
    shop = Shop(stage)
    context = stage.context(size=TABLET)
    context.clock.install()
    staff = signed_in(stage, shop.owner, context, at="/counter")

    def give():
        staff.fill("#phone", shop.customer)
        staff.click("#phone-form [type=submit]")
        sees(staff, "#given .hint", shop.customer[-4:])

    give()
    staff.click("#show-code")
    staff.locator("dialog shown-code .code").wait_for()
    require(staff.inner_text("#given") == "", "the last customer is named beside the next one's code")
    close(staff)
    give()
    context.clock.fast_forward(MINUTE_MS)
    require(staff.inner_text("#given") == "", "the last customer is still named after a minute")
    give()
    staff.click("#given >> text=Undo")
    sees(staff, "#given", "taken back")
    context.clock.fast_forward(MINUTE_MS)
    require(staff.inner_text("#given") == "", "the last reversal is still told after a minute")


def onto_two_cards(stage):
    """A code that fills one card and begins the next names both, the full one first."""
    shop = Shop(stage, goal=2)
    staff = signed_in(stage, shop.owner, size=TABLET, at="/counter")
    staff.click("#stamps button >> nth=2")
    staff.click("#show-code")
    collected(shop, staff)
    ends = {each["status"]: each["id"][-6:].upper() for each in shop.cards()}
    sees(staff, "dialog #receiver", f"To card …{ends['full']} and …{ends['collecting']}")
    sees(staff, "dialog .success", "One card is full now.")


def scanned_before_the_choice(stage):
    """A badge that is scanned before a campaign is chosen is kept, and asked about; the customer does not show it again."""
    shop = Shop(stage)
    shop.town.publish(shop.keeper, shop.shop, "Three pots", 3, "A pot")
    staff = signed_in(stage, shop.owner, size=TABLET, at="/counter")
    staff.locator("#campaign option", has_text="Three pots").wait_for(state="attached")
    badge = shop.elsewhere().ask("GET", "/v1/me/badge")["payload"]
    staff.evaluate("""(detail) => document.querySelector("code-scanner").dispatchEvent(new CustomEvent("scanned", { detail }))""", badge)
    sees(staff, ".toast", "Choose first the campaign")
    sees(staff, "#badge-offer", "A customer's badge is here")
    require(staff.evaluate("document.activeElement.id") == "campaign", "the focus is not where the campaign is chosen")
    require(shop.cards() == [], "a stamp of some campaign was given")
    staff.select_option("#campaign", label="Three pots")
    staff.click("#badge-offer .button >> nth=0")
    sees(staff, "#given .hint", "To the badge's holder, who begins a card with 1 of 3 stamps")
    require(staff.locator("#badge-offer .note").count() == 0, "a badge that was used is still offered")


def a_reward_scanned_for_a_badge(stage):
    """A code for a reward that is scanned where badges are scanned opens the page that redeems, with the reward; no stamp is given."""
    shop = Shop(stage, goal=1)
    card = shop.stamp()["card"]["id"]
    payload = shop.elsewhere().ask("POST", f"/v1/cards/{card}/redemption")["payload"]
    staff = signed_in(stage, shop.owner, size=TABLET, at="/counter")
    staff.locator("#stamps .chip").first.wait_for()
    staff.evaluate("""(detail) => document.querySelector("code-scanner").dispatchEvent(new CustomEvent("scanned", { detail }))""", payload)
    staff.wait_for_url("**/counter/verify*")
    sees(staff, "#verify-result", "One free drink")
    staff.locator("#verify-result button >> text=Redeem now").wait_for()
    require(len(shop.cards()) == 1, "the code was taken for a badge")


def gives(staff, number):
    staff.fill("#phone", number)
    staff.click("#phone-form [type=submit]")


def undone_after_a_mistyped_number(stage):
    """A number that is refused leaves the Undo of the stamps before it, which are no longer told as news beside the refusal.

    The reward of a card that they filled is not told any more: it would be handed to the next customer.
    """
    shop = Shop(stage, goal=7)
    staff = signed_in(stage, shop.owner, size=TABLET, at="/counter")
    staff.click("#stamps button >> nth=6")
    gives(staff, shop.customer)
    sees(staff, ".toast", "7 stamps given")
    sees(staff, "#given .note", "The card is full: One free drink")
    gives(staff, "12")
    sees(staff, "#phone-form [role=alert]", "This is not a phone number")
    require(staff.locator(".toast").count() == 0, "the stamps before are news beside the refusal")
    sees(staff, "#given", "To the customer before: 7 stamps.")
    require("One free drink" not in staff.inner_text("#given"), "the reward of the customer before is told to the next one")
    sees(staff, "#given .hint", f"To …{shop.customer[-4:]}")
    staff.click("#given button")
    sees(staff, "#given", "7 stamps were taken back")
    require(shop.cards()[0]["stamps"] == 0, "the stamps were not taken back")
    gives(staff, stage.town.phone())
    sees(staff, "#given", "One stamp was given just now")
    given = staff.inner_text("#given")
    require("taken back" not in given and shop.customer[-4:] not in given, "the customer before is still named")
    stage.expect_faults(*REFUSED)


def after_the_bonus_hours(stage):
    """The button for the next code stays on the screen beyond the bonus hours; tapped, it says what the code will be for."""
    shop = Shop(stage, goal=10)
    now = datetime.now(timezone.utc)
    # In every time zone, today is one of these three weekdays, and the day three days later is none of them.
    days = [(now + timedelta(days=count)).strftime("%A").lower() for count in (-1, 0, 1)]
    bonuses = [{"days": days, "from": "00:00", "to": "24:00", "factor": 2}]
    shop.keeper.ask("PATCH", f"/v1/campaigns/{shop.campaign}", {"bonuses": bonuses}, {"If-Match": "*"})
    context = stage.context(size=TABLET)
    context.clock.install()
    staff = signed_in(stage, shop.owner, context, at="/counter")
    staff.click("#show-code")
    collected(shop, staff)
    sees(staff, "dialog button", "New code for 2 stamps")
    held = Held(staff, CODES)
    context.clock.set_system_time(now + timedelta(days=3))
    staff.click("dialog .button.large")
    sees(staff, "dialog button", "New code for one stamp")
    held.wait()
    stage.expect_faults(*REFUSED)


def given_from_the_end_of_the_page(stage):
    """On a phone the news says which number got the stamps, and what is said of them, with its Undo, comes onto the screen."""
    shop = Shop(stage)
    staff = signed_in(stage, shop.owner, size=SMALL, at="/counter")
    staff.locator("#stamps .chip").first.wait_for()
    staff.fill("#phone", shop.customer)
    staff.evaluate("scrollTo(0, document.body.scrollHeight); document.querySelector('#phone-form').requestSubmit()")
    sees(staff, ".toast", f"One stamp given to …{shop.customer[-4:]}")
    bar = staff.locator(".tabs").bounding_box()

    def is_seen(selector):
        box = staff.locator(selector).bounding_box()
        return box["y"] >= 0 and box["y"] + box["height"] <= bar["y"]

    for each in ("#given button", "#given .hint"):
        until(lambda each=each: is_seen(each), f"{each} is not on the screen")


def more_stamps_than_a_card_holds(stage):
    """Stamps beyond a card's goal are told by the cards that they filled, with the reward, and by how far the next card is."""
    shop = Shop(stage)
    staff = signed_in(stage, shop.owner, size=TABLET, at="/counter")
    end = shop.customer[-4:]
    for index, text in ((6, "one card filled, the next has 2 of 5 stamps"), (7, "2 cards filled.")):
        staff.click(f"#stamps button >> nth={index}")
        gives(staff, shop.customer)
        sees(staff, "#given .hint", f"{end}: {text}")
        require("The card is full" not in staff.inner_text("#given"), "two cards are one")
    sees(staff, "#given .note", "Reward of each of the 2 full cards: One free drink")


def full_card(shop, customer):
    """A redemption code of a customer whose card is full with one stamp."""
    card = customer.ask("POST", "/v1/stamps", {"code": shop.code()})["card"]["id"]
    return customer.ask("POST", f"/v1/cards/{card}/redemption")["code"]


def previewed(staff, code):
    staff.fill("#code", code)
    staff.click("#verify-form [type=submit]")
    staff.locator("#verify-result button >> text=Redeem now").wait_for()


def after_a_refused_reward(stage):
    """A newer code replaces this one between the look and the tap: the refusal leads to the next code, also by keyboard."""
    shop = Shop(stage, goal=1)
    code = full_card(shop, shop.elsewhere())
    staff = signed_in(stage, shop.owner, size=TABLET, at="/counter/verify")
    previewed(staff, code)
    shop.elsewhere().ask("POST", f"/v1/cards/{shop.cards()[0]['id']}/redemption")
    staff.click("#verify-result button >> text=Redeem now")
    sees(staff, "#verify-result [role=alert]", "Ask the customer for a new one")
    require(staff.evaluate("document.activeElement.matches('#verify-result button')"), "the focus is lost with the button")
    staff.click("#verify-result button >> text=Next customer")
    require(staff.evaluate("document.activeElement.id") == "code", "the next customer's code cannot be typed")
    previewed(staff, full_card(shop, stage.town.person()))
    stage.expect_faults(*REFUSED)


def answered_after_the_next_code(stage):
    """A redemption, and then its Undo, are answered when the next customer's code is on the page: it stays, and the answer is told."""
    shop = Shop(stage, goal=1)
    staff = signed_in(stage, shop.owner, size=TABLET, at="/counter/verify")
    first, second, third = (full_card(shop, person) for person in (shop.elsewhere(), stage.town.person(), stage.town.person()))
    previewed(staff, first)
    held = Held(staff, "**/v1/redemptions")
    staff.click("#verify-result button >> text=Redeem now")
    held.wait()
    staff.click("#verify-result button >> text=Cancel")
    previewed(staff, second)
    held.let_go()
    sees(staff, ".toast", "Redeemed · One free drink")
    require(staff.locator("#verify-result .success").count() == 0, "the reward of the customer before is handed to this one")
    require(shop.cards()[0]["status"] == "redeemed", "the first reward is not redeemed, so this story shows nothing")
    staff.click("#verify-result button >> text=Redeem now")
    sees(staff, "#verify-result .success", "Redeemed")
    held = Held(staff, "**/v1/redemptions/*/reversal")
    staff.click("#verify-result button >> text=Undo")
    staff.click("dialog .chip >> nth=0")
    staff.click("dialog [type=submit]")
    held.wait()
    staff.click("#verify-result button >> text=Next customer")
    previewed(staff, third)
    held.let_go()
    sees(staff, ".toast", "Taken back.")
    require(staff.locator("#verify-result button >> text=Redeem now").count() == 1, "the code of the next customer is gone")


def a_shop_that_was_lost_at_first(stage):
    """The page that redeems cannot tell at first who works where: once it can, the problem is gone."""
    shop = Shop(stage)
    staff = signed_in(stage, shop.owner, size=TABLET, at="/counter")
    staff.route("**/v1/me/shops", refuse)
    staff.goto("/counter/verify")
    sees(staff, "#verify-result [role=alert]", "Not now.")
    staff.unroute("**/v1/me/shops", refuse)
    staff.click("#verify-result [role=alert] button")
    sees(staff, "#workplace", "好喝奶茶店")
    require(staff.locator("#verify-result [role=alert]").count() == 0, "the problem is told still")
    stage.expect_faults(*REFUSED)


def a_code_before_the_shops(stage):
    """A code is looked at before the page knows where its reader works: it stays when the page learns it."""
    shop = Shop(stage, goal=1)
    staff = signed_in(stage, shop.owner, size=TABLET)
    held = Held(staff, "**/v1/me/shops")
    staff.goto("/counter/verify")
    held.wait()
    previewed(staff, full_card(shop, shop.elsewhere()))
    held.let_go()
    sees(staff, "#workplace", "好喝奶茶店")
    require(staff.locator("#verify-result button >> text=Redeem now").count() == 1, "the code is gone")
    stage.expect_faults(*REFUSED)


STORIES = [
    the_number_of_stamps, undone_on_the_screen, what_was_said_of_the_last_one, onto_two_cards, scanned_before_the_choice,
    a_reward_scanned_for_a_badge, undone_after_a_mistyped_number, after_the_bonus_hours,
    given_from_the_end_of_the_page, more_stamps_than_a_card_holds, after_a_refused_reward, answered_after_the_next_code,
    a_shop_that_was_lost_at_first, a_code_before_the_shops,
]
