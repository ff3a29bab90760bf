"""A counter without a connection, and a counter far from the clock of its shop."""

from datetime import datetime
from zoneinfo import ZoneInfo

from pages_people import REFUSED, Shop, require, sees, signed_in, until
from pages_stage import TABLET


def counter_offline(stage):
    """Without a connection the counter says so and what still works, keeps what was typed, and calls nothing given; then it counts once."""
    shop = Shop(stage)
    context = stage.context(size=TABLET)
    page = signed_in(stage, shop.owner, context)
    page.goto("/counter")
    page.locator("#stamps .chip").first.wait_for()
    context.set_offline(True)
    page.fill("#phone", shop.customer)
    page.click("#phone-form [type=submit]")
    sees(page, "#line [role=alert]", "No connection to the service")
    sees(page, "#line [role=alert]", "paper cards can be handed out")
    sees(page, "#acts-waiting [role=alert]", "Give nothing new until then")
    require(page.input_value("#phone") == shop.customer, "what was typed is gone")
    require(page.locator("#given").inner_text() == "" and page.locator("text=stamp given").count() == 0, "a stamp is called given")
    page.click("#show-code")
    sees(page, ".toast", "No answer came")
    require(page.locator("dialog shown-code").count() == 0, "a code is shown that nobody has issued")
    context.set_offline(False)
    sees(page, "#line [role=status]", "Connected again")
    sees(page, "#given", "One stamp was given")
    until(lambda: shop.cards()[0]["stamps"] == 1, "the stamp is not on the card")
    require(page.input_value("#phone") == "", "the number stays for the next customer")
    stage.expect_faults(*REFUSED)


def typed_before_a_reload(stage):
    """What was typed at the counter outlives a reload, and neither its sending nor the session."""
    shop = Shop(stage)
    context = stage.context(size=TABLET)
    page = signed_in(stage, shop.owner, context)
    page.goto("/counter")
    page.fill("#phone", shop.customer)
    page.reload()
    page.locator("#stamps .chip").first.wait_for()
    require(page.input_value("#phone") == shop.customer, "what was typed is gone")
    page.click("#phone-form [type=submit]")
    sees(page, "#given", "One stamp was given")
    page.reload()
    page.locator("#stamps .chip").first.wait_for()
    require(page.input_value("#phone") == "", "the number comes back")
    page.fill("#phone", shop.customer)
    other = context.new_page()
    other.goto("/me")
    other.click("#sign-out")
    sees(page, "#counter", "You are signed out")
    require(page.evaluate("localStorage.getItem('greentea.counter-typed')") is None, "a number is left in the browser")
    stage.expect_faults(*REFUSED)


def redeeming_offline(stage):
    """A reward whose answer is lost is not called redeemed: the page says to hand nothing over."""
    shop = Shop(stage)
    shop.stamp(5)
    code = shop.elsewhere().ask("POST", f"/v1/cards/{shop.cards()[0]['id']}/redemption")["code"].replace("-", "")
    context = stage.context(size=TABLET)
    page = signed_in(stage, shop.owner, context)
    page.goto(f"/counter/verify#{code}")
    sees(page, "#verify-result", "One free drink")
    context.set_offline(True)
    page.click("text=Redeem now")
    sees(page, "#line [role=alert]", "No connection to the service")
    sees(page, "#acts-waiting [role=alert]", "Hand nothing over yet")
    require(page.locator(".success").count() == 0, "it is called redeemed")
    context.set_offline(False)
    sees(page, ".success", "Redeemed")
    stage.expect_faults(*REFUSED)


# These two time zones are 26 hours apart, so that their dates always differ.
SHOP_ZONE, DEVICE_ZONE = "Pacific/Kiritimati", "Etc/GMT+12"


def day_of_the_shop(stage):
    """Today is the shop's day and has its times, on a device whose clock is of another zone, where it is another day."""
    shop = Shop(stage)
    shop.keeper.ask("PATCH", f"/v1/shops/{shop.shop}", {"timeZone": SHOP_ZONE}, {"If-Match": "*"})
    shop.stamp()
    page = signed_in(stage, shop.owner, size=TABLET, timezone_id=DEVICE_ZONE)
    with page.expect_request(f"**/v1/shops/{shop.shop}/stamps?*") as asked:
        page.goto("/counter/today")
    there = datetime.now(ZoneInfo(SHOP_ZONE))
    require(f"from={there:%Y-%m-%d}&to={there:%Y-%m-%d}" in asked.value.url, f"asked for {asked.value.url}")
    sees(page, "#today-zone", SHOP_ZONE)
    at = shop.keeper.ask("GET", f"/v1/shops/{shop.shop}/stamps")["items"][0]["at"]
    local = datetime.fromisoformat(at.replace("Z", "+00:00")).astimezone(ZoneInfo(SHOP_ZONE))
    sees(page, "#today .row", f"{local:%H:%M}")


STORIES = [counter_offline, typed_before_a_reload, redeeming_offline, day_of_the_shop]
