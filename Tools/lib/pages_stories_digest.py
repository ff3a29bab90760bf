"""The owner's first page: today, findings with one button each, and what waits; and an erasure that asks for a proof."""

from pages_people import REFUSED, Shop, let_in, require, sees, signed_in
from pages_sheets import Sheet
from pages_stage import TABLET

SUBMIT = "main form [type=submit]"


def give(giver, campaign, phone, stamps=1):
    return giver.ask("POST", f"/v1/campaigns/{campaign}/stamps", {"phone": phone, "stamps": stamps}, {"Idempotency-Key": phone})


class Watched(Shop):
    """A shop with enough to find at once: thirty cards that end soon, and a member of staff who takes much back."""

    def __init__(self, stage, cards=30):
        super().__init__(stage)
        terms = {"cardValidDays": 10}
        self.keeper.ask("PATCH", f"/v1/campaigns/{self.campaign}", terms, {"If-Match": "*"})
        self.barista = self.town.person("小陈")
        self.keeper.ask("PUT", f"/v1/shops/{self.shop}/staff/{self.barista.account}", {"role": "counter"})
        offer = self.barista.ask("GET", "/v1/me/invitations")["items"][0]["id"]
        self.barista.ask("POST", f"/v1/me/invitations/{offer}/acceptance")
        phones = [self.town.phone() for _ in range(cards)]
        for phone in phones:
            give(self.keeper, self.campaign, phone)
        for number, phone in enumerate(phones):
            given = give(self.barista, self.campaign, phone)
            if number % 2:
                self.barista.ask("POST", f"/v1/stamps/{given['position']}/reversal", {"reason": "Refunded"})


def findings_of_today(stage):
    """Cards that end and unusual reversals are found; each has a button, and the message to customers is filled in."""
    shop = Watched(stage)
    page = signed_in(stage, shop.owner, at=f"/shop/{shop.shop}")
    sees(page, "#digest-today", "60 stamps")
    sees(page, "#digest-today", "30 new cards")
    sees(page, "#findings li[data-kind=cardsEnding]", "30 cards end by")
    sees(page, "#findings li[data-kind=unusualReversals]", "小陈 gave 30 stamps and rewards and took back 15 times")
    require(page.locator("#findings li").count() == 2 and page.locator("#findings a").count() == 2, "other findings or buttons")
    page.click("#findings li[data-kind=unusualReversals] a")
    sees(page, "#staff", "小陈")
    page.go_back()
    page.click("#findings >> text=Write to customers")
    page.wait_for_url("**/messages?*")
    require(page.input_value("#field-title") == "Your card may end soon", "the title is not filled in")
    require("好喝奶茶店" in page.input_value("#field-text"), "the text does not name the shop")
    page.click(SUBMIT)
    page.click("dialog [type=button] >> text=Send")
    sees(page, ".toast", "Sent.")
    page.reload()
    require(page.input_value("#field-title") == "", "a reload offers the sent message again")


def twenty_nine(stage):
    """One card fewer is no finding, and the page says from how many on it speaks up."""
    shop = Watched(stage, cards=29)
    page = signed_in(stage, shop.owner, at=f"/shop/{shop.shop}")
    sees(page, "#digest-today", "29 new cards")
    require(page.locator("#findings li[data-kind=cardsEnding]").count() == 0, "29 cards are a finding")


def found(kind, question, act):
    """An answer of the service with one finding more, as a shop with a longer history gets it."""
    def answer(route):
        digest = route.fetch().json()
        route.fulfill(json={**digest, "findings": [{"kind": kind, "cases": 41, "figures": {}, "question": question, "act": act}]})
    return answer


def a_welcome_stamp(stage):
    """The button opens the editor with the stamp filled in and the what-if question beside it; only saving changes the campaign."""
    shop = Shop(stage)
    page = signed_in(stage, shop.owner, size=TABLET, at="/shops")
    act = {"kind": "editCampaign", "campaign": shop.campaign, "fills": {"welcomeStamps": 1}}
    page.route("**/v1/shops/*/digest", found("cardsLeft", "22 % stop at the first stamp: a welcome stamp?", act))
    page.goto(f"/shop/{shop.shop}")
    sees(page, "#findings", "22 % stop at the first stamp")
    page.click("#findings a")
    sees(page, "#filled-in", "Nothing is changed until you save")
    require(page.input_value("#field-welcomeStamps") == "1", "the welcome stamp is not filled in")
    sees(page, "stamp-card .count", "2/5")
    require("welcomeStamps" not in shop.keeper.ask("GET", f"/v1/campaigns/{shop.campaign}"), "the campaign changed by itself")
    with page.context.expect_page() as opened:
        page.click("#filled-in a")
    require(opened.value.input_value("#welcome") == "1" and opened.value.input_value("#goal") == "5", "the what-if question is another one")
    opened.value.click("#to-campaign")
    require(opened.value.input_value("#field-welcomeStamps") == "1", "the way back to the campaign forgets the question")
    opened.value.close()
    page.click(SUBMIT)
    sees(page, ".toast", "Saved.")
    require(shop.keeper.ask("GET", f"/v1/campaigns/{shop.campaign}")["welcomeStamps"] == 1, "the welcome stamp is not saved")
    require(page.locator("#filled-in").count() == 0, "what is saved is still called unsaved")


def bonus_hours_and_a_milestone(stage):
    """Bonus hours are added to the others; a milestone lacks its reward, which the owner is asked for."""
    shop = Shop(stage)
    page = signed_in(stage, shop.owner, size=TABLET, at="/shops")
    bonus = {"days": ["monday", "tuesday"], "from": "14:00", "to": "15:00", "factor": 2}
    act = {"kind": "editCampaign", "campaign": shop.campaign, "fills": {"bonus": bonus}}
    page.route("**/v1/shops/*/digest", found("quietHour", "14:00 to 15:00 is quiet: bonus stamps then?", act))
    page.goto(f"/shop/{shop.shop}")
    page.click("#findings a")
    sees(page, "#filled-in", "Nothing is changed")
    page.click(SUBMIT)
    sees(page, ".toast", "Saved.")
    require(shop.keeper.ask("GET", f"/v1/campaigns/{shop.campaign}")["bonuses"] == [bonus], "the bonus hours are others")
    page.reload()
    page.locator("fieldset.hours").first.wait_for(state="attached")
    require(page.locator("fieldset.hours").count() == 1, "a reload fills the saved bonus hours in a second time")
    require(page.locator("#filled-in").count() == 0, "the page says that it has filled in what is saved")
    page.goto(f"/shop/{shop.shop}/campaign?id={shop.campaign}&milestone=3")
    page.click(SUBMIT)
    page.locator("#field-milestones[aria-invalid=true]").wait_for()
    page.press("#field-milestones", "End")
    page.locator("#field-milestones").press_sequentially("A biscuit")
    page.click(SUBMIT)
    sees(page, ".toast", "Saved.")
    milestones = shop.keeper.ask("GET", f"/v1/campaigns/{shop.campaign}")["milestones"]
    require([(each["at"], each["reward"]) for each in milestones] == [(3, "A biscuit")], f"saved {milestones}")
    page.reload()
    require(page.input_value("#field-milestones") == "3 A biscuit", "a reload fills the saved milestone in a second time")


def what_waits(stage):
    """Full cards, offers and planned messages are counted, and each leads to its place; a new shop is led to its first campaign."""
    shop = Shop(stage)
    shop.stamp(5)
    invited = stage.town.person()
    shop.keeper.ask("PUT", f"/v1/shops/{shop.shop}/staff/{invited.account}", {"role": "counter"})
    page = signed_in(stage, shop.owner, at=f"/shop/{shop.shop}")
    sees(page, "#waits", "One full card waits")
    sees(page, "main", "needs at least 30 cards")
    page.click("#waits >> text=One offer to staff")
    page.wait_for_url("**/staff")
    empty = stage.town.open_shop(shop.keeper, "Empty", "1 Tea Road", 31.23, 121.47)
    page.goto(f"/shop/{empty}")
    page.click(".empty >> text=New campaign")
    page.wait_for_url("**/campaign")


def a_clerk_looks_at_the_campaigns(stage):
    """The counter has no overview: its first page of the shop is the list of campaigns."""
    shop = Watched(stage, cards=1)
    page = signed_in(stage, shop.barista.phone, at=f"/shop/{shop.shop}")
    page.wait_for_url("**/campaigns")
    sees(page, ".list .row", "Ten cups")


class OldSession:
    """Answers a page's erasures as to a session of more than ten minutes: without a proof, and for a wrong code, they are refused."""

    def __init__(self, page, losses=0, has_password=False):
        self.proofs, self.losses, self.has_password = [], losses, has_password
        page.route("**/v1/me", self.answer)

    def answer(self, route):
        if route.request.method == "GET" and self.has_password:
            found = route.fetch()
            return route.fulfill(response=found, json={**found.json(), "hasPassword": True})
        if route.request.method != "DELETE":
            return route.continue_()
        proof = route.request.post_data_json
        if not proof:
            return self.refuse(route, 403, "reauthenticationRequired")
        self.proofs.append(proof)
        if proof.get("code") == "000000":
            return self.refuse(route, 422, "verificationNotValid")
        if self.losses == 0:
            return route.continue_()
        if self.losses == 4:
            route.fetch()
        self.losses -= 1
        return route.abort()

    @staticmethod
    def refuse(route, status, code):
        route.fulfill(status=status, json={"code": code, "title": "No", "detail": "Not now.", "status": status})


def asked_to_prove(page):
    page.click("#erase")
    page.click("dialog .danger")
    sees(page, "#erase-proof", "more than ten minutes ago")
    return page.inner_text("#erase-proof .dev-code")[-6:]


def an_erasure_needs_a_code(stage):
    """In an older session the page sends a code and asks for it; a wrong one erases nothing, and the right one does."""
    shop = Shop(stage)
    page = signed_in(stage, shop.customer, at="/me")
    session = OldSession(page)
    code = asked_to_prove(page)
    page.fill("#proof", "000000")
    page.click("#erase-proof [type=submit]")
    sees(page, "#erase-proof .error", "wrong or too old")
    shop.elsewhere().ask("GET", "/v1/me")
    page.fill("#proof", code)
    page.click("#erase-proof [type=submit]")
    sees(page, "h1", "Your account is erased")
    require(session.proofs == [{"code": "000000"}, {"code": code}], f"sent {session.proofs}")
    page.locator("text=Save this certificate").wait_for()
    stage.expect_faults(*REFUSED)


def an_erasure_with_the_password(stage):
    """The password can be entered instead of the code, and the form can be closed."""
    shop = Shop(stage)
    page = signed_in(stage, shop.customer, at="/shops")
    session = OldSession(page, has_password=True)
    page.goto("/me")
    asked_to_prove(page)
    page.click("#erase-proof >> text=Keep my account")
    require(page.locator("#erase-proof form").count() == 0, "the form stays")
    asked_to_prove(page)
    page.click("#erase-proof >> text=With a password")
    page.fill("#proof", "correct horse")
    page.click("#erase-proof [type=submit]")
    sees(page, "h1", "Your account is erased")
    require(session.proofs == [{"password": "correct horse"}], f"sent {session.proofs}")
    stage.expect_faults(*REFUSED)


def an_erasure_without_a_code(stage):
    """If no more codes are sent for now, the password is asked for. Was: the refusal alone, and no form."""
    shop = Shop(stage)
    page = signed_in(stage, shop.customer, at="/shops")
    session = OldSession(page, has_password=True)
    page.route("**/v1/verifications", lambda route: session.refuse(route, 429, "rateLimited"))
    page.goto("/me")
    page.click("#erase")
    page.click("dialog .danger")
    page.locator("#proof[type=password]").fill("correct horse")
    require("code" not in page.inner_text("#erase-proof .field").lower(), "a code is asked for that was never sent")
    page.click("#erase-proof [type=submit]")
    sees(page, "h1", "Your account is erased")
    require(session.proofs == [{"password": "correct horse"}], f"sent {session.proofs}")
    stage.expect_faults(*REFUSED)


def a_proven_erasure_whose_answer_was_lost(stage):
    """The erasure's answers are lost: pressed again, the page says that the account is probably erased, not that it was signed out."""
    shop = Shop(stage)
    page = signed_in(stage, shop.customer, at="/me")
    OldSession(page, losses=4)
    page.fill("#proof", asked_to_prove(page))
    page.click("#erase-proof [type=submit]")
    sees(page, "#erase-proof .error", "cannot be reached")
    page.click("#erase-proof [type=submit]")
    sees(page, "h1", "Your account is probably erased")
    stage.expect_faults(*REFUSED)


STORIES = [
    findings_of_today, twenty_nine, a_welcome_stamp, bonus_hours_and_a_milestone, what_waits, a_clerk_looks_at_the_campaigns,
    an_erasure_needs_a_code, an_erasure_with_the_password, an_erasure_without_a_code,
    a_proven_erasure_whose_answer_was_lost,
]


def owner(stage, context):
    """The owner of a shop with findings, whatever the stories before have done."""
    watched = Watched(stage)
    stage.town.watched = watched.shop
    let_in(stage, watched.owner, context).close()


SHEETS = [Sheet("shop-overview", lambda town: f"/shop/{town.watched}", "#findings", owner)]
