"""Every page of signed-in people with nothing but a keyboard: what is reached can be seen, does its work, and gives the focus back."""

from pages_people import REFUSED, Shop, require, sees, signed_in, until

STEPS_MAX = 80
SIZE = {"width": 900, "height": 700}


def walk(page, selector, text=None):
    """Tab after Tab until the element has the focus; it must be seen to have it."""
    wanted = page.locator(selector, has_text=text).first
    wanted.wait_for()
    for _ in range(STEPS_MAX):
        if wanted.evaluate("(each) => each === document.activeElement"):
            break
        page.keyboard.press("Tab")
    require(wanted.evaluate("(each) => each === document.activeElement"), f"the keyboard does not reach {selector} {text or ''}")
    outline = page.evaluate("getComputedStyle(document.activeElement).outlineStyle")
    require(outline != "none", f"{selector} {text or ''} has the focus and nobody sees it")


def press(page, selector, text=None):
    walk(page, selector, text)
    page.keyboard.press("Enter")


def writes(page, selector, text):
    walk(page, selector)
    page.keyboard.type(text)


def a_customers_way(stage):
    """From the first page to the reward: signing in, typing a code, collecting, looking at the card, showing its code, closing it."""
    shop = Shop(stage, goal=2)
    code = shop.code(2)
    page = stage.open("/", stage.context(size=SIZE))
    press(page, ".tabs a[href='/scan']")
    page.wait_for_url("**/scan")
    writes(page, "#code", code)
    page.keyboard.press("Enter")
    press(page, "#collect-button")
    page.wait_for_url("**/sign-in**")
    writes(page, "#phone", shop.customer)
    page.keyboard.press("Enter")
    page.locator("#code").wait_for()
    require(page.evaluate("document.activeElement.id") == "code", "the field of the code has not got the focus")
    page.keyboard.type(page.inner_text("#dev-code strong"))
    sees(page, "h1", "2 stamps collected")
    require(page.evaluate("document.activeElement.tagName") == "H1", "what was collected is not where the focus is")
    press(page, "main a", "My cards")
    page.wait_for_url("**/wallet")
    press(page, "stamp-card a")
    page.wait_for_url("**/wallet/card_*")
    walk(page, "main button", "Receipt")
    page.go_back()
    press(page, "main a", "Get the reward")
    press(page, "main button", "Show the code")
    page.locator("dialog shown-code .code").wait_for()
    page.keyboard.press("Escape")
    until(lambda: page.locator("dialog").count() == 0, "Escape does not close the code")
    stage.expect_faults(*REFUSED)


def a_counters_day(stage):
    """Stamps by number and by code, the code closed, a reward redeemed and taken back, and today's list."""
    shop = Shop(stage, goal=2)
    page = signed_in(stage, shop.owner, size=SIZE, at="/counter")
    press(page, "#stamps button >> nth=1")
    writes(page, "#phone", shop.customer)
    page.keyboard.press("Enter")
    sees(page, "#given", "2 stamps were given")
    press(page, "#show-code")
    page.locator("dialog shown-code .code").wait_for()
    page.keyboard.press("Escape")
    until(lambda: page.locator("dialog").count() == 0, "Escape does not close the code")
    require(page.evaluate("document.activeElement.id") == "show-code", "the focus is lost when the code is closed")
    card = shop.cards()[0]["id"]
    code = shop.elsewhere().ask("POST", f"/v1/cards/{card}/redemption")["code"]
    press(page, ".segments a", "Redeem")
    page.wait_for_url("**/counter/verify")
    writes(page, "#code", code.replace("-", ""))
    page.keyboard.press("Enter")
    press(page, "main button", "Redeem now")
    sees(page, ".success", "Redeemed")
    press(page, "main button", "Undo")
    press(page, "dialog .chip")
    require(page.evaluate("document.activeElement.id") == "dialog-answer", "a suggestion does not lead to the field")
    page.keyboard.press("Enter")
    sees(page, ".toast", "Taken back")
    press(page, ".segments a", "Today")
    page.wait_for_url("**/counter/today")
    press(page, "#today .row button")
    page.locator("dialog").wait_for()
    page.keyboard.press("Escape")
    until(lambda: page.locator("dialog").count() == 0, "Escape does not close the question")
    stage.expect_faults(*REFUSED)


def ones_own_page(stage):
    """Profile, favourites, another number, the question before erasing; then messages and the badge."""
    shop = Shop(stage)
    page = signed_in(stage, shop.customer, size=SIZE)
    press(page, ".tabs a[href='/me']")
    writes(page, "#nickname", "Mia")
    page.keyboard.press("Enter")
    sees(page, ".toast", "Saved.")
    press(page, "#change-phone")
    page.locator("#new-phone").wait_for()
    require(page.evaluate("document.activeElement.id") == "new-phone", "the new number's field has not got the focus")
    press(page, "#phone-change button", "Cancel")
    press(page, "#my-favorites summary")
    sees(page, "#my-favorites", "Nothing yet")
    press(page, "#my-mutes summary")
    sees(page, "#my-mutes", "Shops where you collect")
    press(page, "#erase")
    page.locator("dialog").wait_for()
    page.keyboard.press("Escape")
    until(lambda: page.locator("dialog").count() == 0, "Escape does not close the question")
    require(page.evaluate("document.activeElement.id") == "erase", "the focus is lost when the question is closed")
    for place, ready in (("/messages", "#messages .empty"), ("/badge", "shown-code img")):
        page.goto("/me")
        press(page, f"main a[href='{place}']")
        page.wait_for_url("**" + place)
        page.wait_for_selector(ready)
    stage.expect_faults(*REFUSED)


def a_choice_of_shops(stage):
    """At the counter and in today's list, the choice of the shop keeps the focus when the chosen shop has come."""
    shop = Shop(stage)
    second = shop.town.open_shop(shop.keeper, "Second shop", "1 Tea Road", 31.23, 121.47)
    shop.keeper.ask("PATCH", f"/v1/shops/{second}", {"timeZone": "Pacific/Kiritimati"}, {"If-Match": "*"})
    page = signed_in(stage, shop.owner, size=SIZE)
    for place, ready, text in (("/counter", "#counter", "No campaign runs"), ("/counter/today", "#today-zone", "Pacific/Kiritimati")):
        page.goto(place)
        page.select_option("#workplace-choice", shop.shop)
        walk(page, "#workplace-choice")
        page.select_option("#workplace-choice", second)
        sees(page, ready, text)
        require(page.evaluate("document.activeElement.id") == "workplace-choice", f"{place}: the focus is lost with the choice")


def undone_at_the_counter(stage):
    """Stamps by number are taken back: the button is gone, and the focus is on what says so."""
    shop = Shop(stage)
    page = signed_in(stage, shop.owner, size=SIZE, at="/counter")
    writes(page, "#phone", shop.customer)
    page.keyboard.press("Enter")
    press(page, "#given button", "Undo")
    sees(page, "#given", "One stamp was taken back")
    require(page.evaluate("document.activeElement.matches('#given .note')"), "the focus is lost with the button")


def an_offer_of_work(stage):
    """An offer is accepted: the button is gone with the offer, and the focus is on the page's heading."""
    shop = Shop(stage)
    clerk = stage.town.person()
    shop.keeper.ask("PUT", f"/v1/shops/{shop.shop}/staff/{clerk.account}", {"role": "counter"})
    page = signed_in(stage, clerk.phone, size=SIZE, at="/shops")
    press(page, "#shops .list button", "Accept")
    press(page, "dialog button", "Accept")
    sees(page, "#my-shops", "Counter")
    require(page.evaluate("document.activeElement.tagName") == "H1", "the focus is lost with the offer")


STORIES = [a_customers_way, a_counters_day, ones_own_page, a_choice_of_shops, undone_at_the_counter, an_offer_of_work]
