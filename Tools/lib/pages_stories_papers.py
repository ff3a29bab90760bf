"""Cards on paper: printed by a manager, stamped at the counter by their code, and taken into an account by whoever holds them."""

from pages_people import REFUSED, Shop, let_in, require, sees, sign_in, signed_in, until
from pages_sheets import Sheet
from pages_stage import TABLET

UNKNOWN = "K7QF2M9X0R3T8WBN"


def printed(shop, count=1):
    """The codes of a print, as the counter reads them."""
    answer = shop.keeper.ask(
        "POST", f"/v1/shops/{shop.shop}/paper-cards", {"campaign": shop.campaign, "count": count}, {"Accept": "application/json"})
    return [card["code"].replace("-", "") for card in answer["cards"]]


def print_a_sheet(stage):
    """A manager makes a sheet; its PDF is saved, and what cannot be printed is refused at its field."""
    shop = Shop(stage)
    page = signed_in(stage, shop.owner, at=f"/shop/{shop.shop}")
    page.click(".segments >> text=Paper cards")
    page.fill("#field-count", "501")
    page.click("main form [type=submit]")
    until(lambda: page.get_attribute("#field-count", "aria-invalid") == "true", "501 cards were not refused")
    page.fill("#field-count", "12")
    with page.expect_download() as download:
        page.click("main form [type=submit]")
    require(download.value.suggested_filename == "paper-cards.pdf", f"saved as {download.value.suggested_filename}")
    with open(download.value.path(), "rb") as file:
        require(file.read(5) == b"%PDF-", "what was saved is no PDF")
    sees(page, "#sheet", "12 cards are ready")
    stage.expect_faults(*REFUSED)


def stamped_at_the_counter(stage):
    """A paper opens the counter of those who work there, is stamped and typed in, and undone; its holder takes it on a phone later."""
    shop = Shop(stage)
    code = printed(shop)[0]
    staff = signed_in(stage, shop.owner, size=TABLET, at=f"/p/{code}")
    staff.wait_for_selector("#badge-offer .note")
    require(staff.url.endswith("/counter"), f"the code has stayed in the address: {staff.url}")
    staff.click("#stamps button >> nth=1")
    staff.click("#badge-offer .button")
    sees(staff, "#given", "2 stamps were given")
    sees(staff, "#given", "2 of 5 stamps")
    staff.fill("#paper-code", code.lower())
    staff.click("#paper-form [type=submit]")
    sees(staff, "#given", "3 of 5 stamps")
    staff.click("#given >> text=Undo")
    sees(staff, "#given", "taken back")
    require(shop.cards() == [], "stamps that wait are on a card")
    looking = signed_in(stage, stage.town.phone(), at=f"/p/{code}")
    sees(looking, "#paper-what", "好喝奶茶店 · Ten cups, the eleventh is free")
    sees(looking, "#paper-what", "2 of 5 stamps wait on it. Reward: One free drink")
    phone = stage.context().new_page()
    phone.goto(f"/p/{code}")
    phone.click("#take-paper")
    phone.wait_for_url("**/sign-in**")
    sign_in(phone, shop.customer)
    sees(phone, "h1", "This paper is yours now")
    require(phone.locator("#paper-what").count() == 0, "stamps that were taken are said to wait")
    sees(phone, "stamp-card .count", "2/5")
    require(phone.locator("#paper-how, #paper-staff").locator("visible=true").count() == 0, "a taken paper is still offered to be taken")
    require(shop.cards()[0]["stamps"] == 2, "the stamps are not on the card")
    # After a customer has taken the paper, staff can enter its code to stamp the customer's card.
    staff.fill("#paper-code", code)
    staff.click("#paper-form [type=submit]")
    sees(staff, "#given .hint", "To the paper card's holder, whose card has 3 of 5 stamps now")
    until(lambda: shop.cards()[0]["stamps"] == 3, "the paper that was taken is no token")
    stage.expect_faults(*REFUSED)


def lost_answer(stage):
    """A stamp on paper whose answer was lost stands in Today, and is taken back there before a second one is given."""
    shop = Shop(stage)
    code = printed(shop)[0]
    shop.keeper.ask("POST", f"/v1/campaigns/{shop.campaign}/stamps", {"paper": code, "stamps": 2})
    staff = signed_in(stage, shop.owner, size=TABLET, at="/counter/today")
    sees(staff, "#today .row", "2 stamps")
    sees(staff, "#today .row", "on a paper card")
    staff.click("#today .row button")
    staff.fill("#dialog-answer", "Refunded")
    staff.click("dialog [type=submit]")
    sees(staff, "#today .badge", "Taken back")
    shop.elsewhere().ask("POST", "/v1/me/paper-cards", {"code": code})
    require(shop.cards() == [], "what was taken back from the paper is on a card")
    stage.expect_faults(*REFUSED)


def typed_by_a_scanner(stage):
    """A scanner that types writes the whole link, one key after another."""
    shop = Shop(stage)
    code = printed(shop)[0]
    staff = signed_in(stage, shop.owner, size=TABLET, at="/counter")
    staff.click("#paper-code")
    link = f"https://greentea.example/p/{code}"
    staff.keyboard.type(link)
    require(staff.input_value("#paper-code") == link, "the link was garbled: " + staff.input_value("#paper-code"))
    staff.keyboard.press("Enter")
    sees(staff, "#given", "1 of 5 stamps")
    stage.expect_faults(*REFUSED)


def full_paper(stage):
    """A paper holds as many stamps as fill a card, and leads to the reward at once."""
    shop = Shop(stage, goal=3)
    code = printed(shop)[0]
    staff, phone = signed_in(stage, shop.owner, size=TABLET, at="/counter"), signed_in(stage, shop.customer)
    staff.click("#stamps button >> nth=2")
    staff.fill("#paper-code", code)
    staff.click("#paper-form [type=submit]")
    sees(staff, "#given", "3 of 3 stamps")
    staff.fill("#paper-code", code)
    staff.click("#paper-form [type=submit]")
    sees(staff, "#paper-form [role=alert]", "No more stamps fit")
    phone.goto("/scan")
    phone.fill("#code", code)
    phone.click("#code-form [type=submit]")
    phone.wait_for_url(f"**/p/{code}")
    phone.click("#take-paper")
    phone.wait_for_selector("main a[href$='/redeem']")
    stage.expect_faults(*REFUSED)


def refused_papers(stage):
    """A paper that somebody has taken, one that was never printed and one of the own shop are refused in words, and change nothing."""
    shop, other = Shop(stage), stage.town.person()
    code = printed(shop)[0]
    other.ask("POST", "/v1/me/paper-cards", {"code": code})
    page = signed_in(stage, shop.customer)
    for text in (code, UNKNOWN):
        page.goto(f"/p/{text}")
        sees(page, "#paper [role=alert]", "This paper cannot be taken")
        require(page.locator("#paper button").count() == 0, "what cannot succeed is offered again")
    require(shop.cards() == [], "a refused paper has opened a card")
    mine = signed_in(stage, other.phone, at=f"/p/{code}")
    sees(mine, "#paper-what", "This paper is in your account already.")
    require(mine.locator("#paper button").count() == 0, "a paper of one's own is offered to be taken")
    staff = signed_in(stage, shop.owner, at=f"/p/{printed(shop)[0]}")
    staff.click("#badge-offer >> text=It is my own")
    staff.click("#take-paper")
    sees(staff, "#paper [role=alert]", "Nobody collects at their own shop")
    staff.goto("/counter")
    staff.fill("#paper-code", "K7QF")
    staff.click("#paper-form [type=submit]")
    sees(staff, "#paper-form [role=alert]", "not a paper card of the chosen campaign")
    for text in (UNKNOWN[:-1], UNKNOWN + "0", UNKNOWN[:-1] + "!", "%3Cb%3E" + UNKNOWN[3:]):
        require(page.goto(f"/p/{text}").status == 404, f"/p/{text} has a page")
    stage.expect_faults(*REFUSED)


def lapsed(stage):
    """Of a paper's stamps, those that fit no card of whoever takes it have lapsed: Today says so, and leaves nothing to take back."""
    shop = Shop(stage)
    shop.keeper.ask("PATCH", f"/v1/campaigns/{shop.campaign}", {"repeats": 1}, {"If-Match": "*"})
    code = printed(shop)[0]
    shop.stamp(3)
    for _ in range(2):
        shop.keeper.ask("POST", f"/v1/campaigns/{shop.campaign}/stamps", {"paper": code, "stamps": 2})
    staff = signed_in(stage, shop.owner, size=TABLET, at="/counter/today")
    on_paper = staff.locator("#today .row", has_text="on a paper card")
    on_paper.nth(1).wait_for()
    require(on_paper.locator("button").count() == 2, "stamps that wait on paper cannot be taken back")
    shop.elsewhere().ask("POST", "/v1/me/paper-cards", {"code": code})
    require(shop.cards()[0]["stamps"] == 5, "the stamps that fit are not on the card")
    staff.reload()
    sees(staff, "#today .badge", "Lapsed")
    require(on_paper.count() == 1 and on_paper.locator(".badge, button").all_inner_texts() == ["Lapsed"],
            f"Today says of the paper: {on_paper.all_inner_texts()}")


STORIES = [print_a_sheet, stamped_at_the_counter, lost_answer, lapsed, typed_by_a_scanner, full_paper, refused_papers]


def owner(stage, context):
    let_in(stage, stage.town.owner.phone, context).close()


SHEETS = [
    Sheet("paper-link", f"/p/{UNKNOWN}", "#take-paper"),
    Sheet("shop-papers", lambda town: f"/shop/{town.shop}/papers", "#field-count", owner),
]
