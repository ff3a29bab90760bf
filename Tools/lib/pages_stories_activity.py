"""What happened at a shop: found by a card, a number, a code, a member or a day, explained to a customer, and taken back in part."""

from pages_people import REFUSED, Shop, let_in, refuse, require, sees, signed_in, until
from pages_sheets import ENDS, Sheet
from pages_stage import TABLET
from pages_stories_counter import TIMES
from pages_stories_strangers import hired

FIND = "form[role=search] [type=submit]"


def finds(page, text):
    page.fill("#activity-search", text)
    page.click(FIND)


def rows(page):
    return page.locator("#activity li")


def takes_back(page, button, stamps, reason):
    button.click()
    if stamps:
        page.select_option("#dialog-count", stamps)
    page.fill("#dialog-answer", reason)
    page.click("dialog [type=submit]")


def why_the_card_shows_four(stage):
    """A customer asks why the card shows four: the card's last characters lead to five stamps given and one taken back, with the reason."""
    shop = Shop(stage, goal=10)
    clerk = hired(shop)
    shop.stamp(2)
    given = shop.stamp(3)
    body = {"reason": "Two drinks, not three", "stamps": 1}
    clerk.ask("POST", f"/v1/stamps/{given['position']}/reversal", body)
    ending = shop.cards()[0]["id"][-6:]
    staff = signed_in(stage, shop.owner, size=TABLET, at="/counter/today")
    staff.click("#all-activity")
    staff.wait_for_url(f"**/shop/{shop.shop}/activity")
    finds(staff, ending)
    sees(staff, "#activity-said", f"Of card …{ending.upper()}")
    for text in ("One stamp taken back", "3 stamps given", "2 stamps given", "Card opened"):
        sees(staff, "#activity .title", text)
    require(rows(staff).count() == 4, "other cards' acts are listed")
    sees(staff, "#activity li >> nth=0", "Two drinks, not three")
    sees(staff, "#activity li >> nth=0", "By Person ")
    sees(staff, "#activity li >> nth=1", "1 of 3 taken back")


def one_of_three(stage):
    """One of three stamps is taken back, and the rest later; the customer's card follows."""
    shop = Shop(stage, goal=10)
    shop.stamp(3)
    staff = signed_in(stage, shop.owner, size=TABLET, at=f"/shop/{shop.shop}/activity")
    finds(staff, "today")
    sees(staff, "#activity .title", "3 stamps given")
    takes_back(staff, staff.locator("#activity button", has_text="Take back"), "1", "Too many")
    sees(staff, "#activity .badge", "1 of 3 taken back")
    require([each["stamps"] for each in shop.cards()] == [2], "another number was taken back")
    takes_back(staff, staff.locator("#activity button", has_text="Take back"), None, "Refunded")
    until(lambda: [each["stamps"] for each in shop.cards()] == [0], "the rest was not taken back")
    staff.locator("#activity button", has_text="Take back").wait_for(state="detached")


def today_takes_a_part(stage):
    """Today's list asks how many of a giving's stamps are taken back, and then offers what is left."""
    shop = Shop(stage, goal=10)
    shop.stamp(3)
    staff = signed_in(stage, shop.owner, size=TABLET, at="/counter/today")
    takes_back(staff, staff.locator("#today button", has_text="Take back"), "2", "Too many")
    sees(staff, "#today .badge", "2 of 3 taken back")
    require([each["stamps"] for each in shop.cards()] == [1], "another number was taken back")


def one_field_for_all(stage):
    """The field understands a number in national form, a code, a member's name and a day, and says what it understood, or what it needs."""
    shop = Shop(stage, goal=10)
    code = shop.code(2)
    shop.elsewhere().ask("POST", "/v1/stamps", {"code": code})
    staff = signed_in(stage, shop.owner, size=TABLET, at=f"/shop/{shop.shop}/activity")
    finds(staff, shop.customer.removeprefix("+86"))
    sees(staff, "#activity-said", "Of the number")
    require(rows(staff).count() == 2, "the customer has a card opened and stamped")
    finds(staff, f"{code[:4]}-{code[4:]}")
    sees(staff, "#activity-said", "Of code")
    sees(staff, "#activity .title", "Code for 2 stamps issued")
    finds(staff, stage.town.phone())
    sees(staff, "#activity", "Nothing found")
    finds(staff, "1999-01-01")
    sees(staff, "#activity", "Nothing found")
    finds(staff, "what?")
    sees(staff, "#activity-said", "This is none of these")
    require(staff.locator("#activity > *").count() == 0, "the list of something else stays")
    finds(staff, "")
    sees(staff, "#activity .title", "2 stamps given")


def days_as_pages_write_them(stage):
    """A day is found as pages write it, as people say it, and by the field for dates."""
    shop = Shop(stage, goal=10)
    shop.stamp(3)
    staff = signed_in(stage, shop.owner, size=TABLET, at=f"/shop/{shop.shop}/activity")
    days = staff.evaluate("""(zone) => {
        const say = (locale, form) => new Intl.DateTimeFormat(locale, {...form, timeZone: zone}).format();
        return [say("en-GB", {day: "numeric", month: "short", year: "numeric"}), say("en-GB", {day: "numeric", month: "long"}),
            say("en-US", {day: "numeric", month: "long"}), say("en", {weekday: "long"}), say("sv", {dateStyle: "short"})];
    }""", shop.keeper.ask("GET", f"/v1/shops/{shop.shop}").get("timeZone") or "UTC")
    for text in [*days, "0 days ago", days[3].lower()]:
        finds(staff, text)
        sees(staff, "#activity .title", "3 stamps given")
        sees(staff, "#activity-said", "Show everything")
    finds(staff, "3 days ago")
    sees(staff, "#activity", "Nothing found")
    staff.fill("#activity-day", days[-1])
    sees(staff, "#activity .title", "3 stamps given")
    require(staff.input_value("#activity-search") == days[-1], "the chosen day is not in the field")


def back_from_a_person(stage):
    """A person's list says whose it is and leads back to everything; Back and a reload keep the search."""
    shop = Shop(stage, goal=10)
    shop.stamp(3)
    staff = signed_in(stage, shop.owner, size=TABLET, at=f"/shop/{shop.shop}/activity")
    finds(staff, "today")
    sees(staff, "#activity .title", "3 stamps given")
    name = staff.locator("#activity a").first.inner_text()
    staff.locator("#activity a").first.click()
    staff.wait_for_url("**/activity?customer=*")
    sees(staff, "#activity-said", f"Of {name}")
    staff.go_back()
    sees(staff, "#activity-said", "Of ")
    require(staff.input_value("#activity-search") == "today", "Back forgets the search")
    staff.reload()
    sees(staff, "#activity .title", "3 stamps given")
    require(staff.input_value("#activity-search") == "today", "a reload forgets the search")
    staff.click("#activity-said a")
    sees(staff, "#activity .title", "3 stamps given")
    require(staff.input_value("#activity-search") == "", "a search is still in the field")


def called_by_their_name(stage):
    """A member has the name that the shop gave them, also for colleagues at the counter, and is found by it."""
    shop = Shop(stage, goal=10)
    clerk = hired(shop)
    shop.keeper.ask("PATCH", f"/v1/shops/{shop.shop}/staff/{clerk.account}", {"label": "阿美 Mei"})
    code = clerk.ask("POST", f"/v1/campaigns/{shop.campaign}/codes", {})["code"]
    shop.elsewhere().ask("POST", "/v1/stamps", {"code": code})
    shop.stamp()
    staff = signed_in(stage, shop.owner, size=TABLET, at=f"/shop/{shop.shop}/activity")
    sees(staff, "#activity .title", "Card opened")
    finds(staff, "阿美 mei")
    sees(staff, "#activity-said", "By 阿美 mei")
    sees(staff, "#activity li >> nth=0", "阿美 Mei")
    until(lambda: rows(staff).count() == 2, "others' acts are listed")
    colleague = signed_in(stage, hired(shop).phone, size=TABLET, at=f"/shop/{shop.shop}/activity")
    sees(colleague, "#activity", "阿美 Mei")


def what_a_part_leaves(stage):
    """A code's last stamp is taken back, although the card of its first ones was redeemed; these are not said to be taken back."""
    shop = Shop(stage, goal=2)
    shop.stamp(3)
    card = next(each for each in shop.cards() if each["status"] == "full")
    code = shop.elsewhere().ask("POST", f"/v1/cards/{card['id']}/redemption")["code"]
    shop.keeper.ask("POST", "/v1/redemptions", {"code": code})
    staff = signed_in(stage, shop.owner, size=TABLET, at=f"/shop/{shop.shop}/activity")
    takes_back(staff, staff.locator("#activity li", has_text="One stamp given").locator("button"), None, "Two drinks")
    sees(staff, "#activity .badge", "All but 2 taken back")


def refused_and_lost(stage):
    """A refusal is told beside the list, which stays, and a lost list has a button to ask again."""
    shop = Shop(stage, goal=10)
    shop.stamp(2)
    staff = signed_in(stage, shop.owner, size=TABLET, at=f"/shop/{shop.shop}/activity")
    staff.route("**/v1/stamps/*/reversal", refuse)
    takes_back(staff, staff.locator("#activity button", has_text="Take back"), "1", "Too many")
    sees(staff, ".toast", "Not now.")
    require(rows(staff).count() > 0, "the list is gone")
    staff.route("**/activity?*", refuse)
    finds(staff, "today")
    sees(staff, "#activity [role=alert]", "Not now.")
    staff.unroute("**/activity?*", refuse)
    staff.click("#activity [role=alert] button")
    sees(staff, "#activity .title", "2 stamps given")
    stage.expect_faults(*REFUSED)


STORIES = [
    why_the_card_shows_four, one_of_three, today_takes_a_part, one_field_for_all, days_as_pages_write_them, back_from_a_person,
    called_by_their_name, what_a_part_leaves, refused_and_lost,
]


def keeper(stage, context):
    """Somebody at whose shop three stamps were given and one of them taken back."""
    shop = stage.town.kept = Shop(stage, goal=10)
    given = shop.stamp(3)
    shop.keeper.ask("POST", f"/v1/stamps/{given['position']}/reversal", {"reason": "Too many", "stamps": 1})
    let_in(stage, shop.owner, context).close()


# Days, and the beginnings of handles, differ between runs.
DAYS = [(r"\b\d{1,2} [A-Z][a-z]{2} \d{4}|\d{4}年\d{1,2}月\d{1,2}日", "<day>"), (r"(Person|用户) [0-9a-z]{4}\b", "<customer>")]
SHEETS = [
    Sheet(
        "shop-activity", lambda town: f"/shop/{town.kept.shop}/activity", "#activity li", keeper, masks=[*TIMES, ENDS, *DAYS]),
]
