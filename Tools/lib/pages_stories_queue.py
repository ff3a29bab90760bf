"""No connection, no session: stamps that wait, what was collected already, and a counter that has been signed out."""

from pages_people import REFUSED, Shop, left_nothing, require, sees, sign_in, signed_in, until
from pages_stage import TABLET


def waits_offline(stage):
    """A code that is typed without a network waits, is called no stamp, and becomes one by itself, once."""
    shop = Shop(stage)
    code = shop.code(2)
    context = stage.context(workers=True)
    page = signed_in(stage, shop.customer, context)
    page.wait_for_selector("#cards .empty")
    page.evaluate("() => navigator.serviceWorker.ready.then(() => true)")
    page.reload()
    page.wait_for_selector("#cards .empty")
    context.set_offline(True)
    page.goto("/scan")
    page.fill("#code", code)
    page.click("#code-form [type=submit]")
    sees(page, "#stamp-code", f"{code[:4]}-{code[4:]}")
    page.click("#collect-button")
    sees(page, "[role=alert]", "not yet a stamp")
    page.goto("/wallet")
    sees(page, "#waiting .note", "not yet a stamp")
    require(page.locator("stamp-card").count() == 0, "a code without an answer is shown as a card")
    context.set_offline(False)
    sees(page, "stamp-card .count", "2/5")
    until(lambda: page.locator("#waiting .note").count() == 0, "what has become a stamp still waits")
    require(shop.cards()[0]["stamps"] == 2, "the stamps were doubled")
    stage.expect_faults(*REFUSED)


def refused_later(stage):
    """What the service refuses in the end is said in words, and waits no more; what is given up is forgotten."""
    shop = Shop(stage)
    used, other = shop.code(), shop.code()
    page = signed_in(stage, shop.customer)
    for code in (used, other):
        enters_without_answer(page, code)
    shop.town.person().ask("POST", "/v1/stamps", {"code": used})
    page.goto("/wallet")
    sees(page, "#waiting", "not yet a stamp")
    page.locator("#waiting .note", has_text=other[4:]).locator("text=Forget it").click()
    page.unroute("**/v1/stamps")
    page.locator("#waiting .note", has_text=used[4:]).locator("text=Ask again").click()
    sees(page, "#waiting [role=alert]", "became no stamp")
    sees(page, "#waiting [role=alert]", "Ask at the counter for a new one")
    page.reload()
    page.wait_for_selector("#cards .empty")
    require(page.locator("#waiting .note").count() == 0, "what was refused or given up still waits")
    require(shop.cards() == [], "what was given up was collected")
    stage.expect_faults(*REFUSED)


def enters_without_answer(page, code):
    page.route("**/v1/stamps", lambda route: route.abort())
    page.goto(f"/s/{code}")
    page.click("#collect-button")
    sees(page, "[role=alert]", "not yet a stamp")


def purged(stage):
    """Signing out, and erasing an account, forget what waits: nobody who comes later collects it."""
    for leave in ("#sign-out", "#erase"):
        shop = Shop(stage)
        code = shop.code()
        page = signed_in(stage, shop.customer)
        enters_without_answer(page, code)
        page.goto("/me")
        page.click(leave)
        if leave == "#erase":
            page.click("dialog .danger")
            sees(page, "h1", "Your account is erased")
        else:
            page.wait_for_url("/")
        left_nothing(page)
        page.unroute("**/v1/stamps")
        other = stage.town.phone()
        page.goto("/sign-in")
        sign_in(page, other)
        page.wait_for_selector("#cards .empty")
        require(page.locator("#waiting .note").count() == 0, "the next person finds the code of the one before")
        page.context.close()
    stage.expect_faults(*REFUSED)


def somebody_else(stage):
    """Where a session ended without a word, the next person finds neither the cards nor the codes of the one before."""
    shop = Shop(stage)
    shop.stamp()
    context = stage.context()
    page = signed_in(stage, shop.customer, context)
    page.wait_for_selector("stamp-card")
    enters_without_answer(page, shop.code())
    context.clear_cookies()
    page.unroute("**/v1/stamps")
    page.goto("/sign-in")
    sign_in(page, stage.town.phone())
    page.wait_for_selector("#cards .empty")
    require(page.locator("#waiting .note, stamp-card").count() == 0, "the next person finds what is not theirs")
    require(shop.cards()[0]["stamps"] == 1, "a code was collected for somebody else")
    stage.expect_faults(*REFUSED)


def ended_elsewhere(stage):
    """Another device ends the session or erases the account: this browser forgets the person and the cards. A code that waits stays for the
    same person alone."""
    for erases in (False, True):
        shop = Shop(stage)
        shop.stamp()
        page = signed_in(stage, shop.customer)
        page.wait_for_selector("stamp-card")
        who = page.evaluate("JSON.parse(localStorage['greentea.account']).id")
        enters_without_answer(page, shop.code())
        shop.elsewhere().ask("DELETE", "/v1/me" if erases else "/v1/sessions")
        page.goto("/wallet")
        page.wait_for_url("**/sign-in**")
        sees(page, "main .note", "You were signed out here")
        kept = page.evaluate("Object.entries(localStorage).map((each) => each.join(' ')).sort()")
        require(all(each.startswith(("greentea.ended ", "greentea.pending ")) for each in kept), f"the browser has kept {kept}")
        require(who not in str(kept), "the browser has kept the account's id")
        page.unroute("**/v1/stamps")
        sign_in(page, shop.customer)
        if erases:
            page.wait_for_selector("#cards .empty")
            require(page.locator("#waiting .note").count() == 0, "a new account finds the code of an erased one")
        else:
            until(lambda: shop.cards()[0]["stamps"] == 2, "the code that waited is not collected after signing in again")
        page.context.close()
    stage.expect_faults(*REFUSED)


def collected_before(stage):
    """The page of a code that this very person has collected says so after a reload, and calls nothing wrong; others are told it is."""
    shop = Shop(stage)
    code = shop.code(2)
    context = stage.context()
    page = signed_in(stage, shop.customer, context, at=f"/s/{code}")
    page.click("#collect-button")
    sees(page, "h1", "2 stamps collected")
    for look in (page.reload, lambda: page.goto(f"/s/{code.lower()}"), lambda: page.goto(f"/s/{code[:4]}-{code[4:]}")):
        look()
        sees(page, "h1", "These 2 stamps are on your card")
        sees(page, "stamp-card .count", "2/5")
        require(page.locator("#collect-button, [role=alert]").count() == 0, "the page offers to collect it again")
    other = signed_in(stage, stage.town.phone(), at=f"/s/{code}")
    other.click("#collect-button")
    sees(other, "[role=alert]", "Ask at the counter for a new one")
    stage.expect_faults(*REFUSED)


def counter_signed_out(stage):
    """A counter whose session is over says so, leads to signing in, and keeps nothing to be sent afterwards."""
    shop = Shop(stage)
    context = stage.context(size=TABLET)
    page = signed_in(stage, shop.owner, context, at="/counter")
    page.wait_for_selector("#stamps .chip")
    context.clear_cookies()
    page.fill("#phone", shop.customer)
    page.click("#phone-form [type=submit]")
    sees(page, "#counter [role=alert]", "You are signed out")
    require(page.locator("#counter-controls").is_hidden(), "stamps seem to be given still")
    page.click("#counter .button")
    sign_in(page, shop.owner)
    page.wait_for_url("**/counter")
    page.wait_for_selector("#stamps .chip")
    kept = page.evaluate("() => localStorage.getItem('greentea.pending')")
    require(kept is None, f"the counter has kept {kept}")
    require(shop.cards() == [], "stamps were given after signing in")
    # Every page of the counter must also say that the session is over if another tab signs out.
    for path, ready in (("/counter", "#stamps .chip"), ("/counter/verify", "#verify-form"), ("/counter/today", "#today .empty")):
        page.goto(path)
        page.wait_for_selector(ready)
        other = context.new_page()
        other.goto("/me")
        other.click("#sign-out")
        other.wait_for_url("/")
        sees(page, "main [role=alert]", "You are signed out")
        other.close()
        page.locator("main [role=alert] .button").click()
        sign_in(page, shop.owner)
        page.wait_for_url("**" + path)
    stage.expect_faults(*REFUSED)


STORIES = [waits_offline, refused_later, purged, somebody_else, ended_elsewhere, collected_before, counter_signed_out]
