"""The editor of campaigns: three kinds with presets, the rest folded away, words for times, and a draft that outlives its session."""

from pages_people import REFUSED, Shop, require, sees, sign_in, signed_in, unfold, until
from pages_stage import TABLET
from pages_stories_shops import SUBMIT, state

FOLDED = ("details", "startsAt", "welcomeStamps", "repeats", "cardValidDays", "redeemUntil", "milestones")


def editor(stage, shop, context=None, **kind):
    page = signed_in(stage, shop.owner, context, at=f"/shop/{shop.shop}/campaign", **kind)
    page.locator("#field-title").wait_for()
    return page


def boxes(page, *selectors):
    return [page.locator(each).first.bounding_box() for each in selectors]


def three_choices(stage):
    """An owner taps a kind and publishes it as it is preset. Was: thirteen open fields, an empty title, and the preview below them all."""
    shop = Shop(stage)
    page = editor(stage, shop, size=TABLET)
    require(page.locator(".tile input").count() == 3, "there are not three choices")
    require(not any(page.is_visible(f"#field-{each}") for each in FOLDED), "what few owners change is not folded away")
    form, preview = boxes(page, "#field-title", ".preview stamp-card")
    require(preview["x"] > form["x"] + form["width"], "the preview is not beside the form")
    page.set_viewport_size({"width": 360, "height": 740})
    form, preview, kinds = boxes(page, "#field-title", ".preview stamp-card", ".tiles")
    require(kinds["y"] < preview["y"] < form["y"], "on a phone the preview is not above the form")
    page.fill("#field-reward", "A pot of tea")
    page.check("#kind-coupon")
    require(page.input_value("#field-reward") == "A pot of tea", "another kind has replaced what was typed")
    require(page.input_value("#field-title") == "A welcome from us", "the title of the other kind stays")
    page.check("#kind-promotion")
    require(page.is_hidden(".preview") and page.is_visible("#field-details"), "news without a card have a card, or no details")
    sees(page, "main form", "no longer shown as news")
    page.check("#kind-coupon")
    page.click(SUBMIT)
    page.wait_for_url(lambda address: not address.endswith("/campaign"))
    found = next(each for each in state(shop)["campaigns"] if each["title"] == "A welcome from us")
    require((found["kind"], found["reward"]) == ("coupon", "A pot of tea"), f"published {found}")


def bonus_hours_in_words(stage):
    """Bonus hours say from, until and × 2, and which time is on the next day. Was: “Open from”, “Open until”, and no word of midnight."""
    shop = Shop(stage)
    page = editor(stage, shop)
    unfold(page)
    page.click("text=Add bonus hours")
    sees(page, ".hours .hint", "Fri, from 14:00 until 17:00: stamps × 2.")
    labels = page.locator(".hours .pair label").all_inner_texts()
    require(labels == ["From", "Until"], f"the times are called {labels}")
    page.fill("#field-bonuses-0-from", "22:00")
    page.fill("#field-bonuses-0-to", "02:00")
    page.select_option("#field-bonuses-0-factor", "3")
    sees(page, ".hours .hint", "from 22:00 until 02:00 (next day): stamps × 3.")
    page.fill("#field-bonuses-0-to", "00:00")
    sees(page, ".hours .hint", "from 22:00 until 24:00: stamps × 3.")
    sees(page, "#more summary", "Bonus hours")
    page.on("dialog", lambda dialog: dialog.accept())
    page.goto(f"/shop/{shop.shop}/edit")
    page.click("text=Add hours")
    page.fill("#field-openingHours-0-to", "01:30")
    sees(page, ".hours .hint", "Open from 09:00 until 01:30 (next day).")


def a_draft_after_the_session(stage):
    """The session ends while a campaign is typed: after signing in again it is there, until it is published. Was: an empty form."""
    shop = Shop(stage)
    context = stage.context(size=TABLET)
    page = editor(stage, shop, context)
    page.check("#kind-coupon")
    page.fill("#field-title", "Autumn")
    unfold(page)
    page.fill("#field-cardValidDays", "30")
    shop.keeper.ask("DELETE", "/v1/sessions")
    page.click(SUBMIT)
    page.wait_for_url("**/sign-in**")
    sign_in(page, shop.owner)
    sees(page, "main form .note", "This is your draft of")
    kept = page.is_checked("#kind-coupon"), page.input_value("#field-title"), page.input_value("#field-cardValidDays")
    require(kept == (True, "Autumn", "30"), f"the draft has {kept}")
    page.on("dialog", lambda dialog: dialog.accept())
    page.reload()
    sees(page, "main form .note", "This is your draft of")
    page.click("text=Start over")
    require(page.is_checked("#kind-stampCard") and page.input_value("#field-cardValidDays") == "", "the draft stays")
    page.fill("#field-title", "Winter")
    page.click(SUBMIT)
    page.wait_for_url(lambda address: not address.endswith("/campaign"))
    page.goto(f"/shop/{shop.shop}/campaign")
    page.locator("#field-title").wait_for()
    require(page.input_value("#field-title") != "Winter", "what was published is a draft still")
    require(page.locator("main form .note").count() == 0, "a draft is said to be here")
    stage.expect_faults(*REFUSED)


def a_draft_of_somebody_else(stage):
    """Somebody else who signs in on the same device does not get the draft; the same for who signs out on purpose."""
    shop = Shop(stage)
    context = stage.context()
    page = editor(stage, shop, context)
    page.fill("#field-title", "Secret")
    shop.keeper.ask("DELETE", "/v1/sessions")
    page.click(SUBMIT)
    page.wait_for_url("**/sign-in**")
    require("Secret" in page.evaluate("localStorage.getItem('greentea.drafts')"), "there is no draft, so this story shows nothing")
    sign_in(page, shop.customer)
    until(lambda: page.evaluate("localStorage.getItem('greentea.drafts')") is None, "the draft is left to somebody else")
    stage.expect_faults(*REFUSED)


# Moves the stored drafts a month into the past.
AGED = """() => {
  const kept = Object.entries(JSON.parse(localStorage.getItem("greentea.drafts")));
  const aged = kept.map(([name, draft]) => [name, { ...draft, at: draft.at - 31 * 86_400_000 }]);
  localStorage.setItem("greentea.drafts", JSON.stringify(Object.fromEntries(aged)));
}"""


def a_draft_of_last_month(stage):
    """A draft of more than thirty days leaves the browser once any form is shown. Was: it stayed until its own form was used."""
    shop = Shop(stage)
    page = editor(stage, shop)
    page.on("dialog", lambda dialog: dialog.accept())
    page.fill("#field-title", "Secret")
    until(lambda: "Secret" in (page.evaluate("localStorage.getItem('greentea.drafts')") or ""), "there is no draft")
    page.evaluate(AGED)
    page.goto(f"/shop/{shop.shop}/edit")
    page.locator("#field-name").wait_for()
    until(lambda: page.evaluate("localStorage.getItem('greentea.drafts')") is None, "the old draft stays in the browser")


def refused_in_the_fold(stage):
    """A refused field that is folded away is unfolded, seen and focused. Was: all fields were open, and a long way from the button."""
    shop = Shop(stage)
    page = editor(stage, shop, size={"width": 360, "height": 740})
    unfold(page)
    page.fill("#field-cardValidDays", "0")
    page.click("#more > summary")
    require(page.is_hidden("#field-cardValidDays"), "the field is not folded away, so this story shows nothing")
    page.click(SUBMIT)
    until(lambda: page.evaluate("document.activeElement.id") == "field-cardValidDays", "the refused field has not got the focus")
    box = page.locator("#field-cardValidDays").bounding_box()
    require(0 <= box["y"] and box["y"] + box["height"] < page.locator(".tabs").bounding_box()["y"], "the refused field is out of sight")
    stage.expect_faults(*REFUSED)


STORIES = [
    three_choices, bonus_hours_in_words, a_draft_after_the_session, a_draft_of_somebody_else, a_draft_of_last_month, refused_in_the_fold,
]
