"""Acts that outlive their page or their session: what the next page does about them, and what the browser keeps of them."""

import json

from pages_people import REFUSED, Shop, require, sees, sign_in, signed_in
from pages_stage import TABLET
from pages_stories_counter import waits
from pages_stories_lost import AGED, ATTEMPTS, GIFTS, Loses, give
from pages_stories_operator import operator_of, search
from pages_stories_papers import printed
from pages_town import Person

LIMITED = {"status": 429, "headers": {"Retry-After": "1"},
           "json": {"code": "rateLimited", "title": "No", "detail": "Later.", "status": 429}}
KEPT = "() => Object.entries(localStorage).map((each) => each.join(' ')).sort()"


class Silent:
    """The first request reaches the service and gets no answer. Those that follow are held, or go on."""

    def __init__(self, page, pattern, method="POST", holds=False):
        self.page, self.keys, self.held = page, [], []

        def take(route):
            if route.request.method != method:
                return route.continue_()
            if not self.keys:
                route.fetch()
            elif holds and not self.held:
                self.held.append(route)
            else:
                route.continue_()
            return self.keys.append(route.request.headers["idempotency-key"])

        page.route(pattern, take)

    def wait(self, count=1, page=None):
        waits(page or self.page, lambda: len(self.keys) >= count, f"the page has sent {self.keys}")


def counter(stage, shop):
    staff = signed_in(stage, shop.owner, size=TABLET, at="/counter")
    staff.locator("#stamps .chip").first.wait_for()
    return staff


def pressed_before_the_answer(stage):
    """The page is loaded again and asks about a gift: a press before the answer waits for it, and gives nothing new."""
    shop = Shop(stage)
    staff = counter(stage, shop)
    sent = Silent(staff, GIFTS, holds=True)
    give(staff, shop.customer)
    sent.wait()
    staff.reload()
    staff.locator("#stamps .chip").first.wait_for()
    sent.wait(2)
    give(staff, shop.customer)
    staff.wait_for_timeout(500)
    sent.held[0].continue_()
    sees(staff, "#phone-form [role=alert]", "An earlier request was settled first")
    sees(staff, "#acts-settled [role=status]", "One stamp was given at")
    require(len(set(sent.keys)) == 1 and shop.cards()[0]["stamps"] == 1, f"a second stamp was given: {sent.keys}")
    stage.expect_faults(*REFUSED)


def a_limit_after_a_reload(stage):
    """The tablet dies during the first request of a gift: a limit of requests that meets the next one says nothing about it."""
    shop = Shop(stage)
    staff = counter(stage, shop)
    sent = Silent(staff.context, GIFTS, holds=True)
    give(staff, shop.customer)
    sent.wait(1, staff)
    later = staff.context.new_page()
    staff.close()
    later.goto("/counter")
    sent.wait(2, later)
    sent.held[0].fulfill(**LIMITED)
    sees(later, "#acts-settled .note", "One stamp was given at")
    require("not given" not in later.inner_text("#acts-settled"), "the stamp that was given is said to be not given")
    require(len(set(sent.keys)) == 1 and shop.cards()[0]["stamps"] == 1, f"a second stamp was given: {sent.keys}")
    stage.expect_faults(*REFUSED)


def signed_out_before_the_answer(stage):
    """A session ends elsewhere before a gift is answered: the same person is told that its outcome is unknown, and no number stays."""
    shop = Shop(stage)
    staff = counter(stage, shop)
    sent = Silent(staff, GIFTS)
    give(staff, shop.customer)
    sent.wait()
    Person(stage.town, shop.owner).ask("DELETE", "/v1/sessions")
    staff.reload()
    sees(staff, "#counter [role=alert]", "You are signed out")
    kept = staff.evaluate(KEPT)
    require(shop.customer[-8:] not in str(kept) and "path" not in str(kept), f"the browser has kept {kept}")
    staff.click("#counter .button")
    sign_in(staff, shop.owner)
    sees(staff, "#acts-settled [role=alert]", "Whether the stamps of")
    staff.reload()
    staff.click("#acts-settled [role=alert] button")
    staff.reload()
    staff.locator("#stamps .chip").first.wait_for()
    require(staff.locator("#acts-settled .note").count() == 0, "what was read and closed is told again")
    require(len(set(sent.keys)) == 1 and shop.cards()[0]["stamps"] == 1, f"the gift was given again: {sent.keys}")
    stage.expect_faults(*REFUSED)


def a_nickname_without_an_answer(stage):
    """A session ends elsewhere before a change of the profile arrives: what was typed goes with it. What is a day old goes anyway."""
    shop = Shop(stage)
    page = signed_in(stage, shop.customer, at="/me")
    page.locator("#sessions .row").first.wait_for()
    page.route("**/v1/me", lambda route: route.abort() if route.request.method == "PATCH" else route.continue_())
    page.fill("#nickname", "Wanda Unforgotten")
    page.click("#profile-form [type=submit]")
    waits(page, lambda: "Wanda" in str(page.evaluate(KEPT)), "the change does not wait")
    shop.elsewhere().ask("DELETE", "/v1/sessions")
    page.goto("/wallet")
    page.wait_for_url("**/sign-in**")
    kept = page.evaluate(KEPT)
    require("Wanda" not in str(kept), f"the browser has kept {kept}")
    page.evaluate("""() => {
        const time = { at: Date.now() - 9e7, since: Date.now() - 9e7 };
        const old = { key: "a1", name: "give", method: "POST", path: "/v1/none", body: { phone: "+8613912345678" }, ...time };
        localStorage.setItem("greentea.pending", JSON.stringify({ a1: old }));
    }""")
    page.reload()
    page.locator("#phone").wait_for()
    require("13912345678" not in str(page.evaluate(KEPT)), "what is older than a day is kept")
    stage.expect_faults(*REFUSED)


def a_wallet_whose_session_has_ended(stage):
    """Another device ends the session while the wallet is open in the only tab: it shows the cards no longer."""
    shop = Shop(stage)
    shop.stamp()
    context, begun = stage.context(), []
    context.on("response", lambda response: "/v1/me/events" in response.url and begun.append(response))
    page = signed_in(stage, shop.customer, context)
    page.wait_for_selector("stamp-card")
    waits(page, lambda: begun, "the wallet has no live stream")
    shop.elsewhere().ask("DELETE", "/v1/sessions")
    page.wait_for_url("**/sign-in**")
    sees(page, "main .note", "You were signed out here")
    stage.expect_faults(*REFUSED)


def deleted_by_another_tab(stage):
    """Another tab signs out: the acts of this tab are gone for its scripts too, so that nothing brings them back."""
    shop = Shop(stage)
    staff = counter(stage, shop)
    count = """async (isNew) => {
        const { name } = performance.getEntriesByType("resource").find((each) => /\\/assets\\/api\\b/.test(each.name));
        const { intend, unanswered } = await import(name);
        if (isNew) intend("stamp K7QF2M9X", "POST", "/v1/stamps", { code: "K7QF2M9X" });
        return unanswered("").length;
    }"""
    require(staff.evaluate(count, True) == 1, "no act was stored")
    stage.open("/me", staff.context).click("#sign-out")
    sees(staff, "#counter [role=alert]", "You are signed out")
    require(staff.evaluate(count, False) == 0, "an act has come back after the sign-out")
    stage.expect_faults(*REFUSED)


def a_sheet_without_an_answer(stage):
    """A sheet of paper cards is printed and its answer lost: the page gets the same sheet when it is opened again, and prints no others."""
    shop = Shop(stage)
    page = signed_in(stage, shop.owner, at=f"/shop/{shop.shop}/papers")
    sent = Silent(page, "**/paper-cards")
    page.fill("#field-count", "12")
    page.click("main form [type=submit]")
    sent.wait()
    page.goto("/wallet")
    page.wait_for_selector("#cards .empty")
    page.goto(f"/shop/{shop.shop}/papers")
    sees(page, "#sheet", "12 cards are ready")
    require(len(set(sent.keys)) == 1, f"other cards were printed: {sent.keys}")
    page.click("main form [type=submit]")
    sees(page, "#sheet", "20 cards are ready")
    require(len(set(sent.keys)) == 2, "a new press is no new sheet")
    stage.expect_faults(*REFUSED)


def a_reward_without_an_answer(stage):
    """The answer to a request for a redemption code is lost: the next press on the card's page shows that code, and asks for no other."""
    shop = Shop(stage)
    shop.stamp(5)
    address = f"/wallet/{shop.cards()[0]['id']}/redeem"
    page = signed_in(stage, shop.customer, at=address)
    sent = Silent(page, "**/v1/cards/*/redemption")
    page.click("main button >> text=Show")
    sent.wait()
    page.goto("/wallet")
    page.wait_for_selector("stamp-card")
    page.goto(address)
    page.click("main button >> text=Show")
    page.locator("dialog shown-code .code").wait_for()
    require(len(set(sent.keys)) == 1, f"another code was asked for: {sent.keys}")
    stage.expect_faults(*REFUSED)


def stored_by_the_version_before(stage):
    """A stamp code that waits since the version before of these pages becomes a stamp; its other writes are dropped."""
    shop = Shop(stage)
    code = shop.code()
    page = signed_in(stage, shop.customer)
    page.wait_for_selector("#cards .empty")
    stored = {
        f"stamp {code}": {"key": "0" * 32, "content": json.dumps(["POST", "/v1/stamps", {"code": code}])},
        "profile": {"key": "1" * 32, "content": json.dumps(["PATCH", "/v1/me", {"nickname": "Old"}])},
    }
    page.evaluate("""(stored) => {
        for (const each of Object.values(stored)) each.at = Date.now() - 60000;
        localStorage.setItem("greentea.pending", JSON.stringify(stored));
    }""", stored)
    page.goto("/wallet")
    sees(page, "stamp-card .count", "1/5")
    waits(page, lambda: page.evaluate("localStorage.getItem('greentea.pending')") is None, "something waits still")
    require(shop.elsewhere().ask("GET", "/v1/me")["nickname"] != "Old", "an old change was sent")


def another_number_without_its_country(stage):
    """The operator's own country says nothing about the number that somebody else gets: it begins with + or is refused."""
    shop = Shop(stage)
    head = operator_of(stage)
    shop.elsewhere()
    search(head, shop.customer)
    sees(head, "#lost .hint", "Begin with + and the country")
    head.fill("#new-phone", "139 1234 5678")
    head.fill("#lost-reason", "Stolen, says the caller")
    head.click("#lost [type=submit]")
    head.click("dialog .danger")
    head.locator("#lost [role=alert]").locator("visible=true").wait_for()
    require(not shop.elsewhere().ask("GET", "/v1/me").get("phoneChange"), "the number is changed to one of the operator's country")
    stage.expect_faults(*REFUSED)


def an_old_code_without_an_answer(stage):
    """A code whose answer was lost longer ago than a code lives is forgotten: the next press asks for a new one, once."""
    shop = Shop(stage)
    staff = counter(stage, shop)
    lost = Loses(staff, "**/v1/campaigns/*/codes", count=ATTEMPTS, arrive=False)
    staff.click("#show-code")
    waits(staff, lambda: len(lost.keys) == ATTEMPTS, "the page has not tried again")
    staff.locator(".toast").wait_for()
    staff.add_init_script(AGED)
    staff.reload()
    staff.locator("#stamps .chip").first.wait_for()
    staff.click("#show-code")
    staff.locator("dialog shown-code .code").wait_for()
    require(len(set(lost.keys)) == 2 and len(lost.keys) == ATTEMPTS + 1, f"the keys are {lost.keys}")
    stage.expect_faults(*REFUSED)


def stopped_before_the_next(stage):
    """A gift waits for the answer to another, and somebody stops asking for it: the gift is sent, because nothing was settled."""
    shop = Shop(stage)
    code = printed(shop)[0]
    staff = counter(stage, shop)
    lost = Loses(staff, GIFTS, arrive=False)
    give(staff, shop.customer)
    sees(staff, "#acts-waiting [role=alert]", "No answer yet")
    staff.fill("#paper-code", code)
    staff.click("#paper-form [type=submit]")
    staff.click("#acts-waiting button")
    sees(staff, "#phone-form [role=alert]", "not known whether this was done")
    sees(staff, "#given", "One stamp was given just now")
    require(len(set(lost.keys)) == 2 and shop.cards() == [], f"the keys are {lost.keys}")
    stage.expect_faults(*REFUSED)


STORIES = [
    pressed_before_the_answer, a_limit_after_a_reload, signed_out_before_the_answer, a_nickname_without_an_answer,
    a_wallet_whose_session_has_ended, deleted_by_another_tab, a_sheet_without_an_answer, a_reward_without_an_answer,
    stored_by_the_version_before, another_number_without_its_country, an_old_code_without_an_answer, stopped_before_the_next,
]
