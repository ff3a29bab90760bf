"""A shop's color and logo: chosen by the owner, seen by customers on cards, pages and codes, in light and in dark."""

from pages_people import REFUSED, Shop, require, sees, signed_in, until
from pages_stories_operator import upload
from pages_stories_shops import PICTURE, SUBMIT, state

COLORS = ["red", "orange", "amber", "olive", "green", "teal", "cyan", "blue", "indigo", "violet", "pink", "brown"]
LIGHT, DARK = "rgb(4, 112, 98)", "rgb(109, 211, 192)"
GROUND = "element => getComputedStyle(element).backgroundColor"


def chosen(stage):
    """The owner chooses a color by its name and sends a logo; both are saved once, can be changed back, and stay with other edits."""
    shop = Shop(stage)
    page = signed_in(stage, shop.owner, at=f"/shop/{shop.shop}/edit")
    named = [each.strip() for each in page.locator(".swatches label").all_inner_texts()]
    require(len(set(named)) == 13 and named[0] == "No color of its own", f"the colors are {named}")
    require(page.is_checked("#field-color-none"), "a shop without a color has one")
    page.check("#field-color-teal")
    page.set_input_files("#field-logo", PICTURE)
    page.locator(".picture-list img[alt='Logo']").wait_for()
    page.click(SUBMIT)
    sees(page, ".toast", "Saved.")
    saved = state(shop)
    require(saved["color"] == "teal" and saved["logo"].startswith("img_") and saved["images"] == [], f"saved {saved}")
    page.reload()
    require(page.is_checked("#field-color-teal"), "the saved color is not chosen")
    page.fill("#field-name", "Mountain Leaf")
    page.click(SUBMIT)
    sees(page, ".toast", "Saved.")
    require(state(shop)["color"] == "teal" and state(shop)["logo"] == saved["logo"], "an edit of the name lost the looks")
    page.check("#field-color-none")
    page.click("[aria-label='Take the logo away']")
    page.click(SUBMIT)
    until(lambda: "color" not in state(shop) and "logo" not in state(shop), "the looks are still there")


def seen(stage):
    """A customer sees color and logo on cards, the pages of campaign and shop, and the code; a logo that is gone leaves no gap."""
    shop = Shop(stage, goal=2)
    logo = upload(stage, shop.keeper)
    shop.keeper.ask("PATCH", f"/v1/shops/{shop.shop}", {"color": "teal", "logo": logo}, {"If-Match": "*"})
    shop.stamp(2)
    for scheme, tone in (("light", LIGHT), ("dark", DARK)):
        page = signed_in(stage, shop.customer, dark=scheme == "dark")
        stamp = page.locator("stamp-card.tint-teal li.on:not(.reward)").first
        until(lambda: stamp.evaluate(GROUND) == tone, f"a stamp has the tone of {scheme}")
        page.locator(f"stamp-card img[src*='{logo}']").first.wait_for()
        page.click("text=Get the reward >> nth=0") if page.locator("text=Get the reward").count() else page.click(".card-list a.button")
        sees(page, "stamp-card.tint-teal", "free drink")
        page.click("text=Show the code")
        page.locator("dialog.bright.tint-teal shown-code .code").wait_for()
        require(page.locator(f"dialog img[src*='{logo}']").count() == 1, "the code has no logo")
        shown = page.evaluate("getComputedStyle(document.querySelector('dialog')).getPropertyValue('--leaf').trim()")
        require(shown == "#047062", f"a white screen has the tone {shown} in {scheme}")
        page.goto(f"/c/{shop.campaign}")
        require(page.locator(f"main .card.tint-teal, main img.logo[src*='{logo}']").count() == 2, "the campaign shows no looks")
        page.goto(f"/s/{shop.shop}")
        require(page.locator(f"h1 img.logo[src*='{logo}']").count() == 1, "the shop shows no logo")
    shop.keeper.ask("DELETE", f"/v1/images/{logo}")
    page = signed_in(stage, shop.customer)
    page.locator("stamp-card.tint-teal").wait_for()
    until(lambda: page.locator("stamp-card img.logo").count() == 0, "a logo that was taken down leaves a gap")
    stage.expect_faults(*REFUSED)


def at_the_counter(stage):
    """The screen with a stamp code is in the shop's color, and another shop's is not."""
    shop = Shop(stage)
    shop.keeper.ask("PATCH", f"/v1/shops/{shop.shop}", {"color": "violet"}, {"If-Match": "*"})
    page = signed_in(stage, shop.owner, at="/counter")
    page.click("#show-code")
    page.locator("dialog.tint-violet shown-code .code").wait_for()
    plain = signed_in(stage, Shop(stage).owner, at="/counter")
    plain.click("#show-code")
    plain.locator("dialog shown-code .code").wait_for()
    require(plain.locator("dialog.tinted").count() == 0, "a shop without a color has one")


STORIES = [chosen, seen, at_the_counter]
