"""Help and a way to the operator from where people look; a shop's messages to its customers; stamps that were taken back."""

import json
import struct
import urllib.request
import zlib
from datetime import datetime, timedelta, timezone

from pages_people import REFUSED, Shop, let_in, refuse, require, sees, signed_in, until
from pages_sheets import Sheet, overflowing
from pages_stage import TABLET


def reports_a_problem(stage):
    """Help is at the foot of every page and among the things of one's own; what is written there reaches the operator."""
    phone = stage.town.phone()
    stranger = stage.open("/help")
    sees(stranger, "#report", "Sign in so that")
    require(not stranger.locator("#feedback-form").is_visible(), "nobody is signed in, and there is a form")
    page = signed_in(stage, phone)
    require(page.locator("footer a[href='/help']").is_visible(), "the foot of the page has no help")
    page.goto("/me")
    page.click("main a[href='/help']")
    sees(page, "h1", "Help")
    text = f"The stamp of noon is missing, says {phone}"
    page.fill("#feedback-text", text)
    page.route("**/v1/feedback", lambda route: route.abort())
    page.click("#feedback-form [type=submit]")
    sees(page, "#acts-waiting [role=alert]", "No answer yet")
    require(page.input_value("#feedback-text") == text, "what was typed is gone")
    page.unroute("**/v1/feedback")
    page.evaluate("dispatchEvent(new Event('online'))")
    sees(page, "#feedback-news", "Sent.")
    found = stage.town.operator.ask("GET", "/v1/admin/feedback")["items"]
    require(sum(each["text"] == text for each in found) == 1, "the operator has not got it once")
    plain = stage.open("/help", scripts=False)
    sees(plain, "main", "A stamp is missing or wrong")
    for text in ("take stamps and rewards back", "the owner offers work", "who comes back, and where cards are left"):
        sees(plain, "main li", text)
    stage.expect_faults(*REFUSED)


def writes_to_customers(stage):
    """From the counter's day an owner finds the way to write: a message at once, one for later, which is withdrawn; a clerk does not."""
    shop = Shop(stage)
    shop.stamp()
    page = signed_in(stage, shop.owner, size=TABLET, at="/counter/today")
    require(page.locator("main a[href='/help#report']").is_visible(), "the day has no way to report a problem")
    page.click("#write-to-customers")
    page.wait_for_url(f"**/shop/{shop.shop}/messages")
    writes(page, "New oolong", "Today only.")
    sees(page, ".toast", "Sent.")
    customer = signed_in(stage, shop.customer, at="/messages")
    sees(customer, "#messages", "New oolong")
    require(not customer.locator("#write-to-customers").is_visible(), "a customer is asked to write to customers")
    later = datetime.now(timezone.utc) + timedelta(days=2)
    page.select_option("#field-campaign", shop.campaign)
    page.fill("#field-publishAt", later.strftime("%Y-%m-%dT12:00"))
    writes(page, "Lantern week", "Red bean is free.")
    sees(page, "#planned .row", "Lantern week")
    page.click("#planned button")
    until(lambda: page.locator("#planned .row").count() == 0, "it was not withdrawn")
    require(shop.keeper.ask("GET", "/v1/notices/scheduled")["items"] == [], "it is planned still")
    page.goto("/messages")
    page.click("#write-to-customers a")
    page.wait_for_url(f"**/shop/{shop.shop}/messages")
    stage.expect_faults(*REFUSED)


def writes(page, title, text):
    page.fill("#field-title", title)
    page.fill("#field-text", text)
    page.click("main form [type=submit]")
    page.click("dialog [type=button] >> text=Send")


def stamps_taken_back(stage):
    """The history of a card marks the stamps that were taken back, and no others."""
    shop = Shop(stage)
    shop.stamp()
    wrong = shop.stamp(2)["position"]
    shop.keeper.ask("POST", f"/v1/stamps/{wrong}/reversal", {"reason": "Wrong customer"})
    page = signed_in(stage, shop.customer)
    page.click("stamp-card a.cover")
    sees(page, ".list .row", "2 stamps taken back by the shop")
    marked = page.locator(".list .row", has=page.locator(".badge", has_text="Taken back"))
    require(marked.count() == 1, f"{marked.count()} entries are marked")
    require("2 stamps" in marked.inner_text() and "Receipt" in marked.inner_text(), f"marked is {marked.inner_text()}")


def pictures_fill_their_column(stage):
    """One picture of a shop is as wide as the text below it, on a phone and on a tablet; two fill it together on a tablet."""
    shop = Shop(stage)
    ids = [picture(shop, byte) for byte in (0, 1)]
    for count in (1, 2):
        shop.keeper.ask("PATCH", f"/v1/shops/{shop.shop}", {"images": ids[:count]}, {"If-Match": "*"})
        for size in ({"width": 320, "height": 640}, {"width": 390, "height": 800}, TABLET):
            page = stage.open(f"/s/{shop.shop}", size=size)
            column = page.locator("h1").bounding_box()["width"]
            boxes = [each.bounding_box() for each in page.locator(".pictures li img").all()]
            shown = boxes if count == 2 and size is TABLET else boxes[:1]
            width = shown[-1]["x"] + shown[-1]["width"] - shown[0]["x"]
            require(abs(width - column) <= 1, f"{count} pictures are {width} wide in a column of {column}")
            require(list(overflowing(page)) == [], f"{list(overflowing(page))}")


def picture(shop, byte):
    """The id of a picture that differs from the others by a byte."""
    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
    row = b"\0" + bytes([byte * 200, 120, 80]) * 64
    chunks = [(b"IHDR", struct.pack(">IIBBBBB", 64, 48, 8, 2, 0, 0, 0)), (b"IDAT", zlib.compress(row * 48)), (b"IEND", b"")]
    data = b"\x89PNG\r\n\x1a\n" + b"".join(chunk(*each) for each in chunks)
    request = urllib.request.Request(shop.town.url + "/v1/images", data=data, method="POST", headers={
        "Content-Type": "image/png", "Authorization": "Bearer " + shop.keeper.token})
    with urllib.request.urlopen(request, timeout=30) as response:
        return json.loads(response.read())["id"]


def written_before_the_list_is_lost(stage):
    """A message is sent, but the list of those that are planned is lost: only the list is told, so that nobody sends the message again."""
    shop = Shop(stage)
    shop.stamp()
    page = signed_in(stage, shop.owner, at=f"/shop/{shop.shop}/messages")
    page.locator("#field-title").wait_for()
    page.route("**/v1/notices/scheduled?*", refuse)
    writes(page, "New oolong", "Today only.")
    sees(page, ".toast", "Sent.")
    sees(page, "#planned [role=alert]", "Not now.")
    require(page.locator("main form > .error").is_hidden(), "the message seems to be refused")
    page.unroute("**/v1/notices/scheduled?*", refuse)
    page.click("#planned [role=alert] button")
    page.locator("#planned [role=alert]").wait_for(state="detached")
    customer = shop.elsewhere()
    until(lambda: [each["title"] for each in customer.ask("GET", "/v1/me/notices")["items"]] == ["New oolong"], "it did not come once")
    stage.expect_faults(*REFUSED)


STORIES = [reports_a_problem, writes_to_customers, written_before_the_list_is_lost, stamps_taken_back, pictures_fill_their_column]


def enter(who):
    return lambda stage, context: let_in(stage, getattr(stage.town, who).phone, context).close()


SHEETS = [
    Sheet("help", "/help", "#feedback-form:not([hidden])", enter("customer")),
    Sheet("shop-messages", lambda town: f"/shop/{town.shop}/messages", "#field-publishAt", enter("owner")),
]
