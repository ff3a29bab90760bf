"""Names of a shop's people, and offers of work to numbers that nobody has registered."""

from pages_people import REFUSED, Shop, require, sees, sign_in, signed_in
from pages_stage import TABLET
from pages_stories_shops import SUBMIT
from pages_town import HOSTILE, Person


def hired(stage, shop):
    """A member of the counter, by another device."""
    member = Person(stage.town, stage.town.phone())
    shop.keeper.ask("PUT", f"/v1/shops/{shop.shop}/staff/{member.account}")
    offer = member.ask("GET", "/v1/me/invitations")["items"][0]["id"]
    member.ask("POST", f"/v1/me/invitations/{offer}/acceptance")
    return member


def names(stage):
    """The owner names a member, who sees it; the team reads it beside what was given; it can be changed and taken away."""
    shop = Shop(stage)
    member = hired(stage, shop)
    page = signed_in(stage, shop.owner, size=TABLET, at=f"/shop/{shop.shop}/staff")
    rename(page, "Name", "阿美 Mei")
    sees(page, "#staff", "阿美 Mei")
    code = member.ask("POST", f"/v1/campaigns/{shop.campaign}/codes", {})["code"]
    shop.elsewhere().ask("POST", "/v1/stamps", {"code": code})
    page.goto("/counter/today")
    sees(page, "#today", "阿美 Mei")
    theirs = signed_in(stage, member.phone, at="/shops")
    sees(theirs, "#my-shops", "阿美 Mei")
    theirs.goto("/counter/today")
    sees(theirs, "#today", "By you")
    page.goto(f"/shop/{shop.shop}/staff")
    for text in HOSTILE[:3]:
        rename(page, "Change the name", text[:50])
        sees(page, "#staff", text[:20].strip())
    rename(page, "Change the name", "")
    page.locator("#staff button >> text=Change the name").wait_for(state="detached")
    require("label" not in str(shop.keeper.ask("GET", f"/v1/shops/{shop.shop}/staff")["items"][1]), "the name is still there")


def rename(page, button, text):
    page.click(f"#staff li:nth-child(2) button >> text='{button}'")
    page.fill("#dialog-answer", text)
    page.click("dialog [type=submit]")
    sees(page, ".toast", "The name is")


def an_offer_waits(stage):
    """An owner offers work to a number that nobody knows; whoever signs in with it first is told, accepts, and is told no more."""
    shop = Shop(stage)
    number = stage.town.phone()
    page = signed_in(stage, shop.owner, at=f"/shop/{shop.shop}/staff")
    page.fill("#field-phone", number)
    page.click(SUBMIT)
    sees(page, ".toast", "when they sign in with this number")
    sees(page, "#offers", "Counter")
    theirs = stage.open("/sign-in", stage.context())
    sign_in(theirs, number)
    sees(theirs, "#offers", "A shop offers you work")
    theirs.click("#offers a")
    theirs.click("#shops .list button >> text=Accept")
    theirs.click("dialog button >> text=Accept")
    sees(theirs, "#my-shops", "Counter")
    theirs.goto("/wallet")
    theirs.locator("#cards .empty").wait_for()
    require(theirs.locator("#offers .note").count() == 0, "an accepted offer is still announced")
    page.reload()
    require(page.locator("#offers").count() == 0, "an accepted offer is still open")
    stage.expect_faults(*REFUSED)


STORIES = [names, an_offer_waits]
