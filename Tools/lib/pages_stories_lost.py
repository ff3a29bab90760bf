"""Acts at the counter whose answers are lost: each press is one act with one key, and the screen says what became of it."""

from pages_people import REFUSED, Shop, require, sees, signed_in
from pages_stage import TABLET
from pages_stories_counter import waits

GIFTS, REWARDS = "**/v1/campaigns/*/stamps", "**/v1/redemptions"
# The page gives up its first attempts after as many requests, and shows that it waits.
ATTEMPTS = 4


class Loses:
    """Loses the answers to the first requests. Those requests reach the service, or do not."""

    def __init__(self, page, pattern, count=ATTEMPTS, arrive=True):
        self.keys, self.count = [], count

        def cut(route):
            self.keys.append(route.request.headers["idempotency-key"])
            if len(self.keys) > self.count:
                return route.continue_()
            if arrive:
                route.fetch()
            return route.abort()

        page.route(pattern, cut)


def give(staff, number):
    staff.fill("#phone", number)
    staff.click("#phone-form [type=submit]")


def a_second_cup(stage):
    """The answer to a gift is lost: the screen asks again with the key, then says when the stamp was given. The next cup has a new key."""
    shop = Shop(stage)
    staff = signed_in(stage, shop.owner, size=TABLET, at="/counter")
    lost = Loses(staff, GIFTS)
    give(staff, shop.customer)
    sees(staff, "#acts-waiting [role=alert]", "Give nothing new until then")
    require("Nothing is given" not in staff.inner_text("main"), "what is unknown is said to be not given")
    staff.click("#phone-form [type=submit]")
    sees(staff, "#given", "One stamp was given at")
    require(len(set(lost.keys)) == 1, f"asked again with other keys: {lost.keys}")
    require(shop.cards()[0]["stamps"] == 1, "a lost answer has doubled the stamp")
    give(staff, shop.customer)
    waits(staff, lambda: shop.cards()[0]["stamps"] == 2, "the second cup has no stamp")
    sees(staff, "#given", "One stamp was given just now")
    require(len(set(lost.keys)) == 2, f"the second cup has the key of the first: {lost.keys}")
    stage.expect_faults(*REFUSED)


def twenty_minutes_later(stage):
    """The tablet dies before the answer, and is opened 20 minutes later: it says when the stamp was given, and gives none."""
    shop = Shop(stage)
    context = stage.context(size=TABLET)
    staff = signed_in(stage, shop.owner, context)
    staff.goto("/counter")
    lost = Loses(staff, GIFTS)
    give(staff, shop.customer)
    sees(staff, "#acts-waiting [role=alert]", "No answer yet")
    staff.close()
    later = context.new_page()
    later.add_init_script(AGED)
    later.goto("/counter")
    sees(later, "#acts-settled [role=status]", "One stamp was given at")
    require(shop.cards()[0]["stamps"] == 1, "the retry has given a second stamp")
    require(later.evaluate("localStorage.getItem('greentea.pending')") is None, "the act still waits")
    require(len(set(lost.keys)) == 1, "the act had several keys")
    stage.expect_faults(*REFUSED)


# Makes the stored acts 20 minutes older before the page's scripts run.
AGED = """
  const all = JSON.parse(localStorage.getItem("greentea.pending") ?? "{}");
  for (const each of Object.values(all)) { each.at -= 1_200_000; each.since -= 1_200_000; }
  localStorage.setItem("greentea.pending", JSON.stringify(all));
"""


def two_taps(stage):
    """Two taps at once are one act, and give one stamp."""
    shop = Shop(stage)
    staff = signed_in(stage, shop.owner, size=TABLET, at="/counter")
    staff.locator("#stamps .chip").first.wait_for()
    keys = Loses(staff, GIFTS, count=0).keys
    staff.fill("#phone", shop.customer)
    staff.evaluate("() => { const button = document.querySelector('#phone-form [type=submit]'); button.click(); button.click(); }")
    sees(staff, "#given", "One stamp was given just now")
    require(len(keys) == 1 and shop.cards()[0]["stamps"] == 1, f"a double tap has given more: {keys}")


def refused_at_last(stage):
    """A gift never arrives, and the repeated request is refused: the screen says that nothing was done."""
    shop = Shop(stage)
    staff = signed_in(stage, shop.owner, size=TABLET, at="/counter")
    Loses(staff, GIFTS, arrive=False)
    give(staff, shop.customer)
    sees(staff, "#acts-waiting [role=alert]", "No answer yet")
    shop.keeper.ask("POST", f"/v1/campaigns/{shop.campaign}/end")
    sees(staff, "#phone-form [role=alert]", "This campaign is over. Choose another one. Nothing was done.")
    require(staff.locator("#acts-waiting .note").count() == 0, "the page still waits")
    require(shop.cards() == [], "something was given")
    stage.expect_faults(*REFUSED)


def stopped(stage):
    """Staff may stop asking: the screen says that the outcome is unknown, and the next gift is another act."""
    shop = Shop(stage)
    staff = signed_in(stage, shop.owner, size=TABLET, at="/counter")
    lost = Loses(staff, GIFTS, arrive=False)
    give(staff, shop.customer)
    staff.click("#acts-waiting button")
    sees(staff, "#phone-form [role=alert]", "not known whether this was done")
    give(staff, shop.customer)
    sees(staff, "#given", "One stamp was given just now")
    require(len(set(lost.keys)) == 2 and shop.cards()[0]["stamps"] == 1, f"keys: {lost.keys}")
    stage.expect_faults(*REFUSED)


def lost_badge(stage):
    """A badge whose answer is lost counts once; the same badge shown again is another act."""
    shop = Shop(stage)
    staff = signed_in(stage, shop.owner, size=TABLET)
    customer = shop.elsewhere()

    def show():
        staff.goto(f"/b/{customer.ask('GET', '/v1/me/badge')['code']}")
        staff.click("#badge-offer .button >> nth=0")

    lost = Loses(staff, GIFTS)
    show()
    sees(staff, "#given", "One stamp was given at")
    require(len(set(lost.keys)) == 1 and shop.cards()[0]["stamps"] == 1, f"a lost answer has doubled the stamp: {lost.keys}")
    show()
    waits(staff, lambda: shop.cards()[0]["stamps"] == 2, "the badge shown again has no stamp")
    stage.expect_faults(*REFUSED)


def two_tabs_redeem(stage):
    """Two tabs redeem one code at once: one says to hand over, the other that it was redeemed and when."""
    shop = Shop(stage)
    code = redemption_code(shop)
    context = stage.context(size=TABLET)
    tabs = [signed_in(stage, shop.owner, context), context.new_page()]
    held = []
    context.route(REWARDS, lambda route: held.append(route))
    for tab in tabs:
        tab.goto(f"/counter/verify#{code}")
        tab.click("text=Redeem now")
    for _ in range(100):
        if len(held) == 2:
            break
        tabs[0].wait_for_timeout(50)
    require(len({route.request.headers["idempotency-key"] for route in held}) == 2, "two presses are one act")
    for route in held:
        route.continue_()
    for tab in tabs:
        tab.locator("#verify-result h2", has_text="edeemed").wait_for()
    said = sorted(tab.inner_text("#verify-result") for tab in tabs)
    require(sum("Hand over:" in each for each in said) == 1, f"the screens say {said}")
    require(sum("Already redeemed at" in each and "Do not hand" in each for each in said) == 1, f"the screens say {said}")
    stage.expect_faults(*REFUSED)


def lost_reward(stage):
    """The answer to a redemption is lost: the screen says to hand nothing over yet, then when it was redeemed."""
    shop = Shop(stage)
    staff = signed_in(stage, shop.owner, size=TABLET, at=f"/counter/verify#{redemption_code(shop)}")
    lost = Loses(staff, REWARDS)
    staff.click("text=Redeem now")
    sees(staff, "#acts-waiting [role=alert]", "Hand nothing over yet")
    require(staff.locator(".success").count() == 0, "it is called redeemed")
    sees(staff, "#verify-result", "Already redeemed at")
    sees(staff, "#verify-result", "only if nobody has done so")
    require(len(set(lost.keys)) == 1, f"asked again with other keys: {lost.keys}")
    stage.expect_faults(*REFUSED)


def redemption_code(shop):
    shop.stamp(5)
    return shop.elsewhere().ask("POST", f"/v1/cards/{shop.cards()[0]['id']}/redemption")["code"].replace("-", "")


STORIES = [
    a_second_cup, twenty_minutes_later, two_taps, refused_at_last, stopped, lost_badge, two_tabs_redeem, lost_reward,
]
