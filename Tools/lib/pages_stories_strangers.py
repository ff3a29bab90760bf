"""What a stranger lost, misread or did not see: each story ends with what is still there, or with the words that were missing."""

from pages_people import REFUSED, Shop, require, sees, signed_in, until


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
    sees(page, "main [role=status]", "The certificate is saved")
    page.click(".foot a[href='/help']")
    page.wait_for_url("**/help")
    require(len(asked) == 1, "a saved certificate is asked about")
    stage.expect_faults(*REFUSED)


STORIES = [an_unsaved_certificate]
