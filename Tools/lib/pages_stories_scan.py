"""Codes in photos that the service reads, where the browser cannot: neither Debian's Chromium nor iPhones have a `BarcodeDetector`."""

import base64

from hostile_pictures import png
from pages_people import REFUSED, Shop, require, sees, signed_in

DRAW = """async ([svg, width, height, side, kind]) => {
  const picture = new Image();
  picture.src = "data:image/svg+xml," + encodeURIComponent(svg.replace("<svg ", `<svg width="${side}" height="${side}" `));
  await picture.decode();
  const canvas = Object.assign(document.createElement("canvas"), { width, height });
  const drawing = canvas.getContext("2d");
  drawing.fillStyle = "#b9ab95";
  drawing.fillRect(0, 0, width, height);
  drawing.translate(width / 2, height / 2);
  drawing.rotate(0.12);
  drawing.drawImage(picture, -side / 2, -side / 2);
  return canvas.toDataURL(kind, 0.8).split(",")[1];
}"""


def photo(stage, svg, width=900, height=700, side=420, kind="image/jpeg"):
    """A code on a brown table, a little askew."""
    page = stage.context().new_page()
    drawn = page.evaluate(DRAW, [svg, width, height, side, kind])
    page.close()
    return {"name": "photo." + kind[6:], "mimeType": kind, "buffer": base64.b64decode(drawn)}


def take(page, file):
    """Takes a photo, as far as a page can tell."""
    with page.expect_file_chooser() as chooser:
        page.get_by_role("button", name="Take a picture of the code").click()
    chooser.value.set_files(file)


def issue(shop):
    return shop.keeper.ask("POST", f"/v1/campaigns/{shop.campaign}/codes", {"stamps": 1})


def collects_from_a_photo(stage):
    """A photo of the counter's code leads to its page, and one more tap collects."""
    shop = Shop(stage)
    page = signed_in(stage, shop.customer)
    for kind, width, height in (("image/jpeg", 900, 700), ("image/png", 600, 600), ("image/webp", 900, 700)):
        page.goto("/scan")
        code = issue(shop)
        take(page, photo(stage, code["qrSvg"], width, height, kind=kind))
        page.wait_for_url("**/s/" + code["code"].replace("-", ""))
    page.click("#collect-button")
    sees(page, "h1", "One stamp collected")


def a_large_photo_is_made_smaller(stage):
    """A phone's photo is made smaller before it is sent, and the code in it is still read."""
    shop = Shop(stage)
    page = signed_in(stage, shop.customer, at="/scan")
    code, sent = issue(shop), []
    page.on("request", lambda request: sent.append(request) if request.method == "POST" else None)
    large = photo(stage, code["qrSvg"], 4_000, 3_000, 900, kind="image/png")
    take(page, large)
    page.wait_for_url("**/s/" + code["code"].replace("-", ""))
    require(len(sent) == 1 and sent[0].headers["content-type"] == "image/jpeg", f"sent as {[each.headers for each in sent]}")
    size = int(sent[0].all_headers().get("content-length", 0))
    require(0 < size < 500_000, f"{size} bytes were sent")


def redeems_from_a_photo(stage):
    """The counter reads a customer's code in a photo."""
    shop = Shop(stage, goal=1)
    card = shop.stamp()["card"]["id"]
    code = shop.elsewhere().ask("POST", f"/v1/cards/{card}/redemption")
    staff = signed_in(stage, shop.owner, at="/counter/verify")
    take(staff, photo(stage, code["qrSvg"]))
    staff.get_by_role("button", name="Redeem").click()
    sees(staff, "#verify-result", "One free drink")
    require(shop.cards()[0]["status"] == "redeemed", "the card is not redeemed")


def photos_that_lead_nowhere(stage):
    """Each is told in words, with typing as the way on: no code, no picture, another kind of code, no connection, a busy service."""
    shop = Shop(stage)
    page = signed_in(stage, shop.customer, at="/scan")
    take(page, {"name": "wall.png", "mimeType": "image/png", "buffer": png()})
    sees(page, "code-scanner [role=status]", "No code was found")
    take(page, {"name": "letter.jpg", "mimeType": "image/jpeg", "buffer": b"Dear tea shop"})
    sees(page, "code-scanner [role=status]", "You can also type the code.")
    badge = shop.elsewhere().ask("GET", "/v1/me/badge")
    take(page, photo(stage, badge["qrSvg"]))
    sees(page, "#code-problem", "another kind of code")
    page.route("**/scan", lambda route: route.abort())
    take(page, photo(stage, issue(shop)["qrSvg"]))
    sees(page, "code-scanner [role=status]", "You can also type the code.")
    page.unroute("**/scan")
    page.route("**/scan", lambda route: route.fulfill(status=503, headers={"Retry-After": "2"}, content_type="text/plain", body=""))
    take(page, photo(stage, issue(shop)["qrSvg"]))
    page.locator("code-scanner button:not([aria-busy])").wait_for()
    sees(page, "code-scanner [role=status]", "You can also type the code.")
    page.unroute("**/scan")
    # After these failures, a code can still be typed.
    code = shop.code()
    page.fill("#code", code)
    page.keyboard.press("Enter")
    page.wait_for_url("**/s/" + code)
    stage.expect_faults(*REFUSED)


def nobody_without_a_session_sends_photos(stage):
    page = stage.open("/scan")
    sees(page, "code-scanner .hint", "own camera")
    require(page.get_by_role("button", name="Take a picture of the code").count() == 0, "a photo could be sent in vain")


STORIES = [
    collects_from_a_photo, a_large_photo_is_made_smaller, redeems_from_a_photo, photos_that_lead_nowhere,
    nobody_without_a_session_sends_photos,
]
