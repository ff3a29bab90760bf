"""What the counter keeps of one customer for the next: nothing, except a code that was put away."""

from pages_people import REFUSED, Shop, require, sees, signed_in
from pages_stage import TABLET
from pages_stories_counter import waits
from pages_stories_late import collected


def close(staff):
    staff.keyboard.press("Escape")
    staff.locator("dialog").wait_for(state="detached")


def the_number_of_stamps(stage):
    """Closing the screen sets the number back to one; a code that was put away keeps its own, and so does the code that replaces it."""
    shop = Shop(stage)
    staff = signed_in(stage, shop.owner, size=TABLET, at="/counter")
    staff.click("#stamps button >> nth=2")
    staff.click("#show-code")
    sees(staff, "dialog", "Scan for 3 stamps")
    collected(shop, staff)
    close(staff)
    require(staff.get_attribute("#stamps button >> nth=0", "aria-pressed") == "true", "the next customer gets the number of the one before")
    staff.click("#show-code")
    sees(staff, "dialog", "Scan for one stamp")
    close(staff)
    staff.click("#stamps button >> nth=1")
    staff.click("#show-code")
    sees(staff, "dialog", "Scan for 2 stamps")
    close(staff)
    staff.click("#put-away >> text=Show it again")
    sees(staff, "dialog", "Scan for 2 stamps")
    code = staff.inner_text("dialog shown-code .code")
    staff.evaluate("document.querySelector('dialog shown-code').dispatchEvent(new Event('expired'))")
    waits(staff, lambda: staff.inner_text("dialog shown-code .code") != code, "the code is not replaced")
    sees(staff, "dialog", "Scan for 2 stamps")
    stage.expect_faults(*REFUSED)


STORIES = [the_number_of_stamps]
