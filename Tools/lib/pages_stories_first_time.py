"""What somebody misreads who uses the product for the first time: each story ends with the words or the state that help them on."""

import base64
import re

from pages_people import REFUSED, Shop, left_nothing, require, sees, sign_in, signed_in, until
from pages_stage import TABLET
from pages_stories_counter import waits
from pages_stories_operator import upload
from pages_town import Unexpected

WEEK = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"]
SUBMIT = "main form [type=submit]"


def a_code_put_away_still_works(stage):
    """Closing the screen leaves the code alive for a customer who is still signing in; cancelling it is an act of its own."""
    shop = Shop(stage)
    staff = signed_in(stage, shop.owner, size=TABLET, at="/counter")

    def put_away():
        staff.click("#show-code")
        code = staff.inner_text("dialog shown-code .code")
        staff.click("dialog .screen-bar button")
        sees(staff, "#put-away", f"Code {code} still works, until")
        return code

    code = put_away()
    shop.elsewhere().ask("POST", "/v1/stamps", {"code": code})
    sees(staff, "#given", "One stamp was given")
    require(staff.locator("#put-away .note").count() == 0, "a used code is said to work")
    code = put_away()
    staff.click("#put-away >> text=Show it again")
    require(staff.inner_text("dialog shown-code .code") == code, "another code is shown again")
    staff.click("dialog .screen-bar button")
    staff.click("#put-away >> text=Cancel the code")
    sees(staff, ".toast", "The code works no more")
    try:
        shop.elsewhere().ask("POST", "/v1/stamps", {"code": code})
    except Unexpected:
        return
    require(False, "a cancelled code has worked")


def bonus_hours_at_the_counter(stage):
    """In bonus hours the counter says the factor, and the number that the customer gets."""
    shop = Shop(stage, goal=10)
    bonuses = [{"days": WEEK, "from": "00:00", "to": "24:00", "factor": 2}]
    shop.keeper.ask("PATCH", f"/v1/campaigns/{shop.campaign}", {"bonuses": bonuses}, {"If-Match": "*"})
    staff = signed_in(stage, shop.owner, size=TABLET, at="/counter")
    staff.click("#stamps button >> nth=2")
    staff.click("#show-code")
    sees(staff, "dialog", "Scan for 6 stamps")
    sees(staff, "dialog", "Bonus hours: 2 times the stamps")
    shop.elsewhere().ask("POST", "/v1/stamps", {"code": staff.inner_text("dialog shown-code .code")})
    sees(staff, "dialog", "6 stamps were given")
    sees(staff, "dialog button", "New code for 2 stamps")
    require(shop.cards()[0]["stamps"] == 6, "the counter says another number than the card")


def a_picture_that_is_gone(stage):
    """A picture that was taken down is a broken picture nowhere."""
    shop = Shop(stage)
    image = upload(stage, shop.keeper)
    path = f"/v1/shops/{shop.shop}"
    shop.keeper.ask("PATCH", path, {"images": [image]}, {"If-Match": "*"})
    page = signed_in(stage, shop.owner, at="/shops")
    page.locator("#my-shops img").wait_for()
    shop.keeper.ask("DELETE", f"/v1/images/{image}")
    visitor = stage.context().new_page()
    visitor.goto(f"/s/{shop.shop}")
    require(visitor.locator("main img").count() == 0, "the public page has the picture")
    other = signed_in(stage, shop.owner, at="/shops")
    other.locator("#my-shops .thumb .icon").wait_for()
    other.goto(f"/shop/{shop.shop}/edit")
    sees(other, ".picture-list", "Picture 1 is not there any more")
    stage.expect_faults(*REFUSED)


def an_offer_to_somebody_unknown(stage):
    """The form says that the offer waits for the number; an open offer shows the end of the number that was typed."""
    shop = Shop(stage)
    page = signed_in(stage, shop.owner, at=f"/shop/{shop.shop}/staff")
    sees(page, "#shop-page", "signs in with it for the first time")
    page.fill("#field-phone", "13999998765")
    page.click(SUBMIT)
    sees(page, ".toast", "when they sign in with this number")
    require(page.locator(".toast use[href$='#info']").count() == 1, "an offer that may reach nobody has a tick")
    sees(page, "#offers", "Counter, to …8765")
    sees(page, "#shop-page", "which number they sign in with")
    page.reload()
    sees(page, "#offers", "…8765")


def titles_follow_the_shop(stage):
    """Today names each campaign, also after another shop was chosen."""
    shop = Shop(stage, title="First card")
    shop.stamp(1)
    second = shop.town.open_shop(shop.keeper, "Second shop", "1 Tea Road", 31.23, 121.47)
    campaign = shop.town.publish(shop.keeper, second, "Second card", 5, "A cup")
    shop.keeper.ask("POST", f"/v1/campaigns/{campaign}/stamps", {"phone": shop.customer, "stamps": 1})
    page = signed_in(stage, shop.owner, size=TABLET, at="/counter/today")
    for name, title in (("Second shop", "Second card"), ("好喝奶茶店", "First card")):
        page.select_option("#workplace-choice", label=name)
        sees(page, "#today .meta", title)


def a_shop_without_a_place(stage):
    """All that is missing is told at once; a place that is none on a map, or not told by the browser, has words on where to find it."""
    page = signed_in(stage, stage.town.phone(), at="/shops")
    page.click("#open-shop")
    page.click(SUBMIT)
    for missing in ("type the shop's name", "type the shop's phone number", "type the shop's address", "paste a link from a map, or use"):
        sees(page, "main form > .error", missing)
    require(page.locator("main form [aria-invalid=true]").count() == 4, "not every missing field is marked")
    page.fill("#field-name", "Tea")
    page.fill("#field-phone", "0117 496 0000")
    page.fill("#field-address", "1 Tea Road")
    page.click(SUBMIT)
    sees(page, "main form > .error", "paste a link from a map, or use the place where you are")
    require(page.locator("main form [aria-invalid=true]").count() == 1, "a filled field is marked still")
    page.fill("#field-location", "Leeds")
    page.click(SUBMIT)
    sees(page, "main form > .error", "a link from a map is needed, or latitude and longitude")
    sees(page, "#hint-location", "paste the link here")
    page.evaluate("() => { navigator.geolocation.getCurrentPosition = (_, refused) => refused(new Error('refused')) }")
    page.click("main form button >> text=Use the place where I am")
    sees(page, "main form .hint", "does not say where it is. Paste a link from a map.")


def judge(page, text):
    """The verdict of the proof page on a file."""
    page.locator("#verdict").evaluate("each => each.replaceChildren()")
    page.locator("#receipt").set_input_files({"name": "greentea-erasure.tlog-proof", "mimeType": "text/plain", "buffer": text.encode()})
    page.locator("#verdict .note").wait_for()
    return page.locator("#verdict").inner_text()


def erased(page):
    """Erases the account and saves the certificate. Returns it, with what the page says of the event."""
    page.click("#erase")
    page.click("dialog .danger")
    facts = page.locator("dl.facts dd")
    facts.nth(2).wait_for()
    with page.expect_download() as saved:
        page.click("text=Save this certificate")
    with open(saved.value.path(), encoding="utf-8") as file:
        return file.read(), facts.all_inner_texts()


def with_record(receipt, change):
    """The receipt with another record in it."""
    first, extra, *rest = receipt.split("\n")
    record = bytearray(base64.b64decode(extra.removeprefix("extra ")))
    change(record)
    return "\n".join([first, "extra " + base64.b64encode(bytes(record)).decode(), *rest])


def the_certificate_is_checked(stage):
    """The certificate of an erasure proves the event, whose it was and when: each of them changed, and another event, are refused."""
    shop = Shop(stage)
    shop.stamp(1)
    page = signed_in(stage, shop.customer, at="/me")
    receipt, (account, position, time) = erased(page)
    require(page.locator("main a[href='/proof']").count() == 1, "nothing leads to the check")
    page.goto("/proof")
    verdict = judge(page, receipt)
    for each in ("This account was erased", f"Event {position} of"):
        require(each in verdict, f"the verdict does not say: {each}")
    facts = page.locator("#verdict dl").inner_text()
    require(account in facts and time in facts and account.startswith("acct_"), f"the facts are others: {facts}")

    lines = receipt.split("\n")
    require(lines[2] == f"index {int(position) - 1}", "the certificate is of another position")
    earlier = receipt.replace(lines[2], f"index {int(position) - 2}")
    require("does not lead to the signed root" in judge(page, earlier), "a changed position is accepted")

    def flip(at):
        def change(record):
            record[at] ^= 1
        return change

    # The offsets of three bytes in the record: one of the event's type, one of its time, and one of the account in its tag.
    for name, at in (("type", 2), ("time", 10), ("account", 40)):
        require("does not lead to the signed root" in judge(page, with_record(receipt, flip(at))), f"a changed {name} is accepted")
    require("erased" not in judge(page, with_record(receipt, flip(40))), "the verdict on a changed account says that it was erased")
    stage.expect_faults(*REFUSED)


def another_event_is_no_certificate(stage):
    """The receipt of a stamp says that it is of a stamp, and a certificate of the older kind that it proves only its checkpoint."""
    shop = Shop(stage)
    position = shop.stamp(1)["position"]
    page = signed_in(stage, shop.customer, at="/wallet")
    receipt = page.evaluate("async (position) => (await fetch(`/v1/stamps/${position}/receipt`)).text()", position)
    page.goto("/proof")
    verdict = judge(page, receipt)
    require("This stamp was recorded in the log" in verdict and "erased" not in verdict, "the receipt of a stamp is called another event's")
    checkpoint = page.evaluate("async () => (await fetch('/checkpoint')).text()")

    def old(place, time="2026-01-01T00:00:00.000Z"):
        return f"Your account is erased\nPosition in the log: {place}\nTime: {time}\n\n{checkpoint}"

    for text in (old(1), old(2), old(1, "1999-01-01T00:00:00.000Z")):
        verdict = judge(page, text)
        require("The checkpoint is right, the rest is not proved" in verdict, "an older certificate is called right")
        require(page.locator("#verdict .note.warn").count() == 1, "the verdict looks like a proof")
    size = int(checkpoint.split("\n")[1])
    require("older than the erasure" in judge(page, old(size + 1)), "a position that the checkpoint does not cover is accepted")
    changed = old(1).replace(f"\n{size}\n", f"\n{size + 1}\n")
    require("somebody changed it" in judge(page, changed), "a changed size is accepted")
    origin = checkpoint.split("\n")[0]
    require("another log" in judge(page, old(1).replace(origin + "\n", "elsewhere.example/log\n", 1)), "another log is accepted")


def a_certificate_that_was_lost_is_asked_for_again(stage):
    """An erasure whose receipt does not come is still said to be done, and the receipt can be asked for again."""
    shop = Shop(stage)
    page = signed_in(stage, shop.customer, at="/me")
    page.route("**/v1/erasures/**", lambda route: route.abort())
    page.click("#erase")
    page.click("dialog .danger")
    sees(page, "h1", "Your account is erased")
    page.locator("main [role=alert]").wait_for()
    page.unroute("**/v1/erasures/**")
    page.click("main [role=alert] button")
    page.locator("text=Save this certificate").wait_for()
    stage.expect_faults(*REFUSED)


def losing(lost, losses):
    """A handler of requests that loses the answers of the first deletions, of which the first one reaches the service."""

    def cut(route):
        if route.request.method != "DELETE" or len(lost) == losses:
            return route.continue_()
        lost.append(route.request)
        if len(lost) == 1:
            route.fetch()
        return route.abort()

    return cut


def an_erasure_whose_answer_was_lost(stage):
    """The account is gone, and with it the session that could ask again: the page says so, and not that another device signed it out."""
    for losses in (1, 4):
        shop = Shop(stage)
        shop.stamp(1)
        page = signed_in(stage, shop.customer, at="/me")
        lost = []

        page.route("**/v1/me", losing(lost, losses))
        page.click("#erase")
        page.click("dialog .danger")
        if losses == 4:
            sees(page, ".toast", "The service cannot be reached")
            page.click("#erase")
            page.click("dialog .danger")
        # With four losses the page has given up before, and by now the session may have ended in another way.
        sees(page, "h1", "Your account is erased" if losses == 1 else "Your account is probably erased")
        sees(page, "main .note", "there is no certificate here")
        require(len(lost) == losses, f"{len(lost)} answers were lost")
        left_nothing(page)
        require(shop.cards() == [], "the account is not erased")
        page.context.close()
    stage.expect_faults(*REFUSED)


def ended_elsewhere(page, shop):
    """Another device of the customer ends all sessions, once the page at `/me` has loaded."""
    page.locator("#sessions .row").first.wait_for()
    shop.elsewhere().ask("DELETE", "/v1/sessions")


def an_erasure_that_never_arrived(stage):
    """Somebody reloads before an erasure arrives, and another device ends the session: the account is there, and is not called erased."""
    shop = Shop(stage)
    shop.stamp(1)
    page = signed_in(stage, shop.customer, at="/me")
    held = []
    page.route("**/v1/me", lambda route: held.append(route) if route.request.method == "DELETE" else route.continue_())
    page.click("#erase")
    page.click("dialog .danger")
    waits(page, lambda: held, "no erasure is sent")
    page.reload()
    ended_elsewhere(page, shop)
    page.click("#erase")
    page.click("dialog .danger")
    sees(page, "h1", "Your account is probably erased")
    sees(page, "main .note", "To be sure, sign in with your number")
    require(len(shop.cards()) == 1, "the account is erased, so this story shows nothing")
    stage.expect_faults(*REFUSED)


def a_receipt_leads_to_its_check(stage):
    """A receipt that was saved is a file that nobody knows what to do with: the message leads to where it is checked."""
    shop = Shop(stage)
    shop.stamp()
    page = signed_in(stage, shop.customer, at=f"/wallet/{shop.cards()[0]['id']}")
    page.click("main button >> text=Receipt")
    sees(page, "dialog", "anybody can check that the stamp of")
    page.click("dialog >> text=Cancel")
    require(page.locator(".toast").count() == 0, "a receipt was saved that nobody wants")
    page.click("main button >> text=Receipt")
    with page.expect_download() as saved:
        page.click("dialog button >> text=Save the receipt")
    require(saved.value.suggested_filename.endswith(".tlog-proof"), f"saved as {saved.value.suggested_filename}")
    page.click("main button >> text=Receipt")
    with page.expect_download():
        page.click("dialog button >> text=Save the receipt")
    until(lambda: page.locator(".toast").count() == 1, "two receipts have two messages")
    page.click(".toast button >> text=How to check it")
    page.wait_for_url("**/proof")


def a_password_that_is_not_there(stage):
    """A password is offered to be removed only where one is set."""
    page = signed_in(stage, stage.town.phone(), at="/me")
    remove = page.locator("#remove-password")
    page.locator("#sessions .row").first.wait_for()
    require(remove.is_hidden(), "a password that is not there can be removed")
    sees(page, "#password-why", "You do not need one")
    page.click("#password-code")
    for text in ("A code was sent to +86", "signs out your other devices"):
        sees(page, "#password-form p", text)
    sees(page, "#password-code", "Send again")
    page.locator("#password-new").fill("correct horse")
    page.fill("#password-code-input", re.findall(r"\d{6}", page.inner_text(".toast"))[-1])
    page.click("#password-form [type=submit]")
    sees(page, ".toast", "The password is set")
    sees(page, "#password-code", "Change the password")
    sees(page, "#password-why", "A password is set")
    page.reload()
    remove.click()
    page.click("dialog .button:not(.secondary)")
    sees(page, ".toast", "There is no password any more")
    require(remove.is_hidden(), "a password that was removed can be removed")


def signed_out_from_elsewhere(stage):
    """A device whose session another one has ended is told so where it signs in again; who only comes to sign in is told nothing."""
    shop = Shop(stage)
    page = signed_in(stage, shop.customer, at="/me")
    ended_elsewhere(page, shop)
    page.goto("/me")
    page.wait_for_url("**/sign-in**")
    sees(page, "main .note", "You were signed out here: from another device")
    sees(page, "main .note", "because the account was erased")
    sign_in(page, shop.customer)
    require(page.url.endswith("/me"), f"signing in leads to {page.url}")
    fresh = stage.open("/sign-in")
    fresh.locator("#phone").wait_for()
    require(fresh.locator("main .note").locator("visible=true").count() == 0, "a visitor is said to have been signed out")
    stage.expect_faults(*REFUSED)


def a_milestone_on_the_card(stage):
    """A reward on the way is on the card in the wallet and, once it is reached, where the stamps were collected."""
    shop = Shop(stage)
    path = f"/v1/campaigns/{shop.campaign}"
    shop.keeper.ask("PATCH", path, {"milestones": [{"at": 2, "reward": "A cookie"}]}, {"If-Match": "*"})
    page = signed_in(stage, shop.customer, at=f"/s/{shop.code()}")
    page.click("#collect-button")
    sees(page, "stamp-card .milestone", "At 2 stamps: A cookie")
    page.goto(f"/s/{shop.code()}")
    page.click("#collect-button")
    sees(page, "stamp-card .milestone", "Yours now: A cookie")
    page.goto("/wallet")
    sees(page, "stamp-card .milestone", "Yours now: A cookie")
    require(page.locator("stamp-card .stamps .reward").count() == 2, "the card does not mark the place")
    page.goto(f"/s/{shop.code()}")
    page.click("#collect-button")
    page.click("text=Get A cookie")
    page.wait_for_url("**/redeem?milestone=2")


def redeeming_on_a_phone(stage):
    """On a phone the button that redeems is above the bar at the lower edge as soon as the code was looked at."""
    shop = Shop(stage)
    shop.stamp(5)
    card = shop.cards()[0]["id"]
    code = shop.elsewhere().ask("POST", f"/v1/cards/{card}/redemption")["code"]
    page = signed_in(stage, shop.owner, size={"width": 390, "height": 844}, at="/counter/verify")
    page.fill("#code", code)
    page.click("#verify-form [type=submit]")
    page.locator("text=Redeem now").wait_for()
    bar = page.locator(".tabs").bounding_box()
    until(lambda: (lambda box: box["y"] + box["height"] <= bar["y"])(page.locator("text=Redeem now").bounding_box()),
          "the button is under the bar")


STORIES = [
    a_code_put_away_still_works, bonus_hours_at_the_counter, a_picture_that_is_gone, an_offer_to_somebody_unknown, titles_follow_the_shop,
    a_shop_without_a_place, the_certificate_is_checked, another_event_is_no_certificate,
    a_certificate_that_was_lost_is_asked_for_again, an_erasure_whose_answer_was_lost, an_erasure_that_never_arrived,
    a_receipt_leads_to_its_check, a_password_that_is_not_there, signed_out_from_elsewhere, a_milestone_on_the_card, redeeming_on_a_phone,
]
