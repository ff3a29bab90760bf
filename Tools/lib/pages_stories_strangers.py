"""Things that a stranger lost, misread or did not see: each story ends with them still there, or with the words that were missing."""

from pages_people import REFUSED, Shop, require, sees, sign_in, signed_in, until
from pages_stage import TABLET
from pages_stories_late import Held, collected
from pages_stories_next_customer import SMALL
from pages_town import Person


def an_unsaved_certificate(stage):
    """The certificate of an erasure is on no other page: the check opens beside it, and leaving it is asked about until it is saved."""
    shop = Shop(stage)
    page = signed_in(stage, shop.customer, at="/me")
    asked = []

    def stay(dialog):
        asked.append(dialog.type)
        dialog.dismiss()

    page.on("dialog", stay)
    page.click("#erase")
    page.click("dialog .danger")
    sees(page, "main [role=status]", "Save it now")
    with page.context.expect_page() as opened:
        page.click("main a[href='/proof']")
    sees(opened.value, "h1", "How every stamp is proved")
    require(asked == [], "the check is asked about")
    page.click(".foot a[href='/help']")
    until(lambda: page.title() and asked == ["beforeunload"], "the certificate is lost without a question")
    sees(page, "h1", "Your account is erased")
    with page.expect_download():
        page.click("main button >> text=Save this certificate")
    sees(page, "main [role=status]", "Saving has begun")
    require(page.input_value("#certificate").startswith("c2sp.org/tlog-proof@v1\n"), "the certificate cannot be copied")
    page.click(".foot a[href='/help']")
    page.wait_for_url("**/help")
    require(len(asked) == 1, "a saved certificate is asked about")
    stage.expect_faults(*REFUSED)


def a_device_in_use(stage):
    """Another device in constant use is not said to have been seen last when it signed in: the service notes the time now and then only."""
    phone = stage.town.phone()
    Person(stage.town, phone)
    page = signed_in(stage, phone, at="/me")
    other = page.locator("#sessions .row", has_text="Unknown device")
    sees(page, "#sessions .row", "Used in the last 15 minutes")

    def earlier(route):
        answer = route.fetch().json()
        for each in answer["items"]:
            each["lastSeenAt"] = "2020-02-02T12:00:00.000Z"
        route.fulfill(json=answer)

    page.route("**/v1/me/sessions", earlier)
    page.reload()
    sees(page, "#sessions .row", "Last seen about")
    require("2 Feb 2020" in other.inner_text(), f"in this browser's English, the date is {other.inner_text()}")
    # The languages that two other readers' browsers prefer: German, and a name that `Intl` refuses.
    for own in ("de-DE", "en-aa-bb"):
        page.context.add_init_script(f"""Object.defineProperty(Navigator.prototype, "language", {{ get: () => "{own}" }});
            Object.defineProperty(Navigator.prototype, "languages", {{ get: () => ["{own}", "en-US"] }});""")
        page.reload()
        sees(page, "#sessions .row", "Last seen about")
        require("2 Feb 2020" in other.inner_text(), f"with {own}, the date is {other.inner_text()}")


def a_verdict_below_the_screen(stage):
    """On a phone the verdict on a receipt comes onto the screen, above the bar at the lower edge, and gets the focus."""
    page = stage.open("/proof", size=SMALL)
    page.wait_for_load_state("networkidle")
    page.locator("#receipt").set_input_files({"name": "a.tlog-proof", "mimeType": "text/plain", "buffer": b"hello"})
    sees(page, "#verdict .note", "This receipt is not right")
    bar = page.locator(".tabs").bounding_box()

    def is_seen():
        box = page.locator("#verdict .note").bounding_box()
        return box["y"] >= 0 and box["y"] + box["height"] <= bar["y"]

    until(is_seen, "the verdict is not on the screen")
    require(page.evaluate("document.activeElement.closest('#verdict') !== null"), "the verdict has not got the focus")


def stamps_that_were_taken_back(stage):
    """The receipt of stamps that were taken back is right still: the verdict says how many they were, and that it shows no correction."""
    shop = Shop(stage)
    page = signed_in(stage, shop.customer)
    for stamps, title in ((1, "This stamp was recorded in the log"), (3, "These 3 stamps were recorded in the log")):
        position = shop.stamp(stamps)["position"]
        receipt = page.evaluate("async (position) => (await fetch(`/v1/stamps/${position}/receipt`)).text()", position)
        shop.keeper.ask("POST", f"/v1/stamps/{position}/reversal", {"reason": "Refunded"})
        page.goto("/proof", wait_until="networkidle")
        page.locator("#receipt").set_input_files({"name": "a.tlog-proof", "mimeType": "text/plain", "buffer": receipt.encode()})
        sees(page, "#verdict .note strong", title)
        sees(page, "#verdict .note", "A later correction is not shown here")
        require(page.locator("#verdict .note.good").count() == 0, "stamps that were taken back look as if all were well")
        page.locator(f"#verdict dd a[href='/wallet/{shop.cards()[0]['id']}']").wait_for()
    page.context.clear_cookies()
    page.evaluate("localStorage.clear()")
    page.goto("/proof", wait_until="networkidle")
    page.locator("#receipt").set_input_files({"name": "a.tlog-proof", "mimeType": "text/plain", "buffer": receipt.encode()})
    page.locator("#verdict dd a").first.wait_for()
    require(page.locator("#verdict dd a[href^='/wallet']").count() == 0, "a guest is led to a card that they cannot see")


def hired(shop):
    """Somebody who works at the shop's counter."""
    clerk = shop.town.person()
    shop.keeper.ask("PUT", f"/v1/shops/{shop.shop}/staff/{clerk.account}", {"role": "counter"})
    offer = clerk.ask("GET", "/v1/me/invitations")["items"][0]["id"]
    clerk.ask("POST", f"/v1/me/invitations/{offer}/acceptance")
    return clerk


def people_of_a_shop(stage):
    """The owner finds themselves among the people and in the numbers, and a nickname in today's list; a code in place of a name is told."""
    shop = Shop(stage)
    clerk = hired(shop)
    for person in (clerk, shop.keeper):
        person.ask("POST", f"/v1/campaigns/{shop.campaign}/stamps", {"phone": stage.town.phone(), "stamps": 1})
    page = signed_in(stage, shop.owner, at=f"/shop/{shop.shop}/staff")
    row = page.locator("#staff .row", has_text="Owner")
    row.wait_for()
    require("You" in row.inner_text() and "Person" not in row.inner_text(), f"the owner is {row.inner_text()}")
    sees(page, "#shop-page .hint", "People without a name are shown by a code")
    require(page.locator("#staff .row", has_text="You").count() == 1, "several people are the reader")
    clerk.ask("PATCH", "/v1/me", {"nickname": "Mia"}, {"If-Match": "*"})
    shop.keeper.ask("PATCH", "/v1/me", {"nickname": "Lin"}, {"If-Match": "*"})
    page.goto("/counter/today")
    sees(page, "#today .row", "By Mia")
    sees(page, "#today .row", "By you")
    page.goto(f"/shop/{shop.shop}/numbers")
    sees(page, "#staff h2", "By member of staff")
    page.click("#staff summary")
    sees(page, "#staff tbody th", "Lin (you)")
    require(page.locator("#staff tbody th", has_text="(you)").count() == 1, "several people are the reader")


def a_reward_of_an_erased_account(stage):
    """Whether an account was erased is no shop's business: neither the question nor its answer promise the reward anew."""
    shop = Shop(stage, goal=1)
    customer = shop.elsewhere()
    card = customer.ask("POST", "/v1/stamps", {"code": shop.code()})["card"]["id"]
    code = customer.ask("POST", f"/v1/cards/{card}/redemption")["code"]
    staff = signed_in(stage, shop.owner, at="/counter/verify")
    staff.fill("#code", code)
    staff.click("#verify-form [type=submit]")
    staff.click("#verify-result .button >> nth=0")
    sees(staff, ".success", "Redeemed")
    customer.ask("DELETE", "/v1/me")
    page = signed_in(stage, shop.owner, at="/counter/today")
    page.click("[data-kind=redemptions]")
    page.click("#today .row button")
    sees(page, "dialog p", "can have this reward again, unless the account was erased meanwhile")
    staff.locator(".success button", has_text="Undo").click()
    staff.click("dialog .chip >> nth=0")
    staff.click("dialog [type=submit]")
    sees(staff, ".toast", "Taken back.")
    require(staff.inner_text(".toast").strip() == "Taken back.", f"the answer promises: {staff.inner_text('.toast')}")
    stage.expect_faults(*REFUSED)


def collecting_goes_on_after_signing_in(stage):
    """A customer who tapped before signing in need not tap again, and reads so, also while the answer takes its time."""
    shop = Shop(stage)
    page = stage.open(f"/s/{shop.code()}")
    page.click("#collect-button")
    page.wait_for_url("**/sign-in**")
    held = Held(page, "**/v1/stamps")
    sign_in(page, shop.customer)
    sees(page, "#collect .why", "You are signed in. The stamps are being collected")
    held.wait()
    held.let_go()
    sees(page, "h1", "One stamp collected")
    stage.expect_faults(*REFUSED)


def accepted_and_at_work(stage):
    """A new colleague has the counter in the bar as soon as the offer is accepted."""
    shop = Shop(stage)
    clerk = stage.town.person()
    shop.keeper.ask("PUT", f"/v1/shops/{shop.shop}/staff/{clerk.account}", {"role": "counter"})
    page = signed_in(stage, clerk.phone, at="/shops")
    page.click("#shops .list button >> text=Accept")
    require(page.locator(".tabs a[href='/counter']").count() == 0, "the counter is offered to somebody who works nowhere")
    page.click("dialog button >> text=Accept")
    page.click(".tabs a[href='/counter']")
    page.wait_for_url("**/counter")
    page.locator("#stamps .chip").first.wait_for()


def typed_beside_an_offer(stage):
    """An offer is withdrawn once that is confirmed, and the number typed beside it stays; an accepted offer goes by itself."""
    shop = Shop(stage)
    clerk = stage.town.person()
    page = signed_in(stage, shop.owner, at=f"/shop/{shop.shop}/staff")
    for phone in (stage.town.phone(), clerk.phone):
        page.fill("#field-phone", phone)
        page.click("main form [type=submit]")
        sees(page, "#offers", f"Counter, to …{phone[-4:]}")
        require(page.input_value("#field-phone") == "", "a number that got its offer stays in the form")
    page.fill("#field-phone", "13999998765")
    first = page.locator("#offers li", has_not_text=f"…{clerk.phone[-4:]}").locator("button")
    first.click()
    page.click("dialog .button.secondary")
    require(page.locator("#offers li").count() == 2, "an offer is withdrawn without a question")
    first.click()
    page.click("dialog .danger")
    sees(page, ".toast", "Withdrawn.")
    until(lambda: page.title() and page.locator("#offers li").count() == 1, "the offer is listed still")
    require(page.input_value("#field-phone") == "13999998765", "what was typed is gone")
    offer = clerk.ask("GET", "/v1/me/invitations")["items"][0]["id"]
    clerk.ask("POST", f"/v1/me/invitations/{offer}/acceptance")
    page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
    page.locator("#offers").wait_for(state="detached")
    require(page.locator("#staff .row").count() == 2, "the new colleague is not listed")
    require(page.input_value("#field-phone") == "13999998765", "what was typed is gone")


def offers_of_two_shops(stage):
    """An owner of two shops offers work at each: the pages of both show whom their own offers went to. Digits of an earlier version go."""
    shop = Shop(stage)
    second = shop.town.open_shop(shop.keeper, "Second shop", "1 Tea Road", 31.23, 121.47)
    page = signed_in(stage, shop.owner, at="/shops")
    page.evaluate("localStorage.setItem('greentea.offered', JSON.stringify({ offer_1: '…1234' }))")
    for place, phone in ((shop.shop, "13999998765"), (second, "13999994321")):
        page.goto(f"/shop/{place}/staff")
        page.fill("#field-phone", phone)
        page.click("main form [type=submit]")
        sees(page, "#offers", f"Counter, to …{phone[-4:]}")
    for place, own, other in ((shop.shop, "…8765", "…4321"), (second, "…4321", "…8765")):
        page.goto(f"/shop/{place}/staff")
        page.locator("#offers li").wait_for()
        offers = page.inner_text("#offers")
        require(own in offers and other not in offers, f"the offers of {place} are {offers}")
    require(page.evaluate("localStorage.getItem('greentea.offered')") is None, "the digits of an earlier version stay in the browser")


def a_number_as_it_is_written_at_the_shop(stage):
    """A customer's number is understood as people in the shop's country write it, and the field says for which country."""
    shop = Shop(stage)

    def move(phone):
        shop.keeper.ask("PATCH", f"/v1/shops/{shop.shop}", {"phone": phone}, {"If-Match": "*"})

    page = None
    for own, country, typed, number, told in (
        ("+1 303 555 0100", "United States", "1 303 555 1234", "+13035551234", "+1 303 555 1234"),
        ("+44 20 7946 0958", "United Kingdom", "(0)7700 900456", "+447700900456", "+44 770 090 0456"),
    ):
        move(own)
        customer = Person(stage.town, number)
        page = page or signed_in(stage, shop.owner, at="/counter")
        page.goto("/counter")
        sees(page, "#phone-hint", country)
        page.fill("#phone", typed)
        page.click("#phone-form [type=submit]")
        sees(page, "#given .hint", f"To {told}")
        cards = customer.ask("GET", "/v1/me/cards")["items"]
        require([each["stamps"] for each in cards if shop.campaign in str(each)] == [1], f"the stamp is on other cards: {cards}")
    for wrong in ("07700 9", "07700 900582 111"):
        page.fill("#phone", wrong)
        with page.expect_response("**/stamps") as answer:
            page.click("#phone-form [type=submit]")
        require(answer.value.status == 400, f"somebody has got stamps by {wrong}")
        sees(page, "#phone-form [role=alert]", "This is not a phone number")
    # The shop is in another country than China, so a mobile number of China must be typed with +86.
    page.fill("#phone", "15112345678")
    page.click("#phone-form [type=submit]")
    sees(page, "#phone-form [role=alert]", "This is not a phone number")
    require("…5678" not in page.inner_text("#given"), "somebody in China has got the stamp")
    move("+91 98765 43210")
    page.goto(f"/shop/{shop.shop}/closing")
    sees(page, "#shop-page .hint", "India")
    page.fill("#field-phone", "098765 43210")
    page.click("#shop-page form [type=submit] >> nth=0")
    sees(page, "dialog", "098765 43210")
    stage.expect_faults(*REFUSED)


def a_password_without_a_number(stage):
    """Asking to sign in with a password before a number is typed tells what is missing, in the page's own words."""
    page = stage.open("/sign-in")
    page.wait_for_load_state("networkidle")
    page.click("#with-password")
    sees(page, "#phone-form [role=alert]", "Type your phone number first")
    require(page.evaluate("document.activeElement.id") == "phone", "the focus is not where the number is typed")
    page.fill("#phone", "+44 7700 900789")
    page.click("#with-password")
    page.locator("#password").wait_for()
    page.click("#password-form [data-back]")
    page.fill("#phone", "12")
    page.click("#phone-form [type=submit]")
    sees(page, "#phone-form [role=alert]", "That country has no such number")
    page.fill("#phone", "+44 7700 900790")
    page.click("#with-password")
    page.locator("#password").wait_for()
    require(page.input_value("#user-name") == "+447700900790", "the password is for a number that was refused")
    stage.expect_faults(*REFUSED)


def one_below_the_other(stage):
    """At the counter the forms are apart, a sentence and its button are on one line, and the screen's button is in the middle."""
    shop = Shop(stage)
    page = signed_in(stage, shop.owner, size=TABLET, at="/counter")
    page.locator("#stamps .chip").first.wait_for()
    above, below = (page.locator(each).bounding_box() for each in ("#phone-form [type=submit]", "#paper-form label"))
    require(below["y"] - above["y"] - above["height"] >= 16, "the second form sticks to the first one")
    page.fill("#phone", stage.town.phone())
    page.click("#phone-form [type=submit]")
    sees(page, "#given", "One stamp was given")
    text, undo = (page.locator(each).bounding_box() for each in ("#given .note >> nth=0 >> p", "#given .note button"))
    require(abs(text["y"] + text["height"] / 2 - undo["y"] - undo["height"] / 2) <= 2, "the sentence and its button are not on one line")
    page.evaluate("""() => document.querySelector("#given .note").append(
        Object.assign(document.createElement("p"), { className: "error", textContent: "These stamps can no longer be taken back." }))""")
    moved = page.locator("#given .note button").bounding_box()
    require(abs(moved["y"] - undo["y"]) <= 2, "the button jumps when it is refused")
    page.click("#show-code")
    collected(shop, page)
    box = page.locator("dialog .buttons .button.large").bounding_box()
    require(abs(box["x"] + box["width"] / 2 - TABLET["width"] / 2) <= 12, "the button is not in the middle")


def a_second_code(stage):
    """A code can be requested again after a minute, and then not again before the next one has passed."""
    context = stage.context()
    context.clock.install()
    page = stage.open("/sign-in", context)
    page.fill("#phone", stage.town.phone())
    page.click("#phone-form [type=submit]")
    again = page.locator("#send-again")
    sees(page, "#send-again", "Send again in")
    require(again.get_attribute("aria-disabled") == "true", "a code can be requested again at once")
    # In milliseconds, a little more than the minute that the page waits. The service's minute is not over, so the story answers for it.
    context.clock.fast_forward(61_000)
    page.locator("#send-again:not([aria-disabled])").wait_for()
    page.route("**/v1/verifications", lambda route: route.fulfill(status=202, json={}))
    again.click()
    sees(page, ".toast", "A code is on its way")
    page.locator("#send-again:not([aria-busy])").wait_for()
    sees(page, "#send-again", "Send again in")
    require(again.get_attribute("aria-disabled") == "true", "the button works while it counts the seconds")


STORIES = [
    an_unsaved_certificate, a_device_in_use, a_verdict_below_the_screen, stamps_that_were_taken_back, people_of_a_shop,
    a_reward_of_an_erased_account, collecting_goes_on_after_signing_in, accepted_and_at_work, typed_beside_an_offer, offers_of_two_shops,
    a_number_as_it_is_written_at_the_shop, a_password_without_a_number, one_below_the_other, a_second_code,
]
