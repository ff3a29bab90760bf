import HTTPTypes
import Testing

extension UseCase {
    static let corrections = [withoutPhone, paper, refund, part, wrongCode, endedByMistake, closing]

    private static let reason = #"{"reason":"The drink was given back."}"#

    private static let withoutPhone = UseCase(
        "without-typing", "Stamps without typing: a badge, and a customer without the app",
        needs: ["GET /v1/me/badge", "POST /v1/campaigns/{id}/stamps"]
    ) { director in
        let cast = try await director.cast()
        let (owner, customer) = (director.recorded(cast.owner), director.recorded(cast.customer))
        director.say("The customer shows a badge")
        let badge = try await customer.get("/v1/me/badge").string("code")
        _ = try await owner.post("/v1/campaigns/\(cast.campaign)/stamps", #"{"badge":"\#(badge)"}"#, key: "badge")
        director.say("Two minutes later it is worth nothing")
        director.clock.advance(seconds: 120)
        _ = try await owner.post("/v1/campaigns/\(cast.campaign)/stamps", #"{"badge":"\#(badge)"}"#, key: "badge-2")
        director.say("Somebody who has no account yet says a number; the card waits")
        let body = #"{"phone":"+8613800138077","stamps":3}"#
        _ = try await owner.post("/v1/campaigns/\(cast.campaign)/stamps", body, key: "phone")
        let person = director.recorded(try await director.visitor.signedIn("+8613800138077", name: "newcomer"))
        director.say("The card is there when they sign in")
        _ = try await person.get("/v1/me/cards")
    }

    private static let paper = UseCase(
        "paper-cards", "Cards on paper, for customers without a phone",
        needs: [
            "POST /v1/shops/{id}/paper-cards", "GET /v1/me/paper-cards/{code}", "POST /v1/me/paper-cards", "GET /v1/shops/{id}/stamps",
        ]
    ) { director in
        let cast = try await director.cast()
        let owner = director.recorded(cast.owner)
        director.say("The shop prints two cards; without the Accept header the answer is a sheet to cut")
        let printed = try await owner.post(
            "/v1/shops/\(cast.shop)/paper-cards", #"{"campaign":"\#(cast.campaign)","count":2}"#, key: "print",
            headers: [.accept: "application/json"])
        let code = try #require(try printed.json["cards"]?[0]?["code"]?.string)
        func give(_ stamps: Int, _ key: String) async throws -> Reply {
            try await owner.post("/v1/campaigns/\(cast.campaign)/stamps", #"{"paper":"\#(code)","stamps":\#(stamps)}"#, key: key)
        }
        director.say("The counter stamps one of them; the stamps wait on the paper")
        _ = try await give(1, "paper-1")
        let wrong = try await give(2, "paper-2").int("position")
        director.say("Two of them were a mistake")
        _ = try await owner.post("/v1/stamps/\(wrong)/reversal", reason, key: "paper-back")
        director.say("No more wait than fill a card")
        _ = try await give(3, "paper-3")
        director.say("The shop's list names the paper on which they wait")
        _ = try await owner.get("/v1/shops/\(cast.shop)/stamps")
        director.say("Weeks later the customer has a phone, and takes the paper into the account")
        director.clock.advance(seconds: 20 * 86_400)
        let returned = director.recorded(try await director.visitor.signedIn("+8613800138002", name: "customer"))
        _ = try await returned.get("/v1/me/paper-cards/\(code.replacing("-", with: ""))")
        _ = try await returned.post("/v1/me/paper-cards", #"{"code":"\#(code)"}"#, key: "take")
        director.say("A paper is taken once")
        _ = try await returned.post("/v1/me/paper-cards", #"{"code":"\#(code)"}"#, key: "take-2")
        director.say("From then on the paper is the customer's token at the counter")
        let clerk = director.recorded(try await director.visitor.signedIn("+8613800138001", name: "owner"))
        _ = try await clerk.post("/v1/campaigns/\(cast.campaign)/stamps", #"{"paper":"\#(code)"}"#, key: "paper-4")
        director.say("Whoever looks for the stamps now finds the card that they went onto; the mistake stays with its paper")
        _ = try await clerk.get("/v1/shops/\(cast.shop)/stamps")
        director.say("Nobody who works for the shop takes its papers")
        let second = try #require(try printed.json["cards"]?[1]?["code"]?.string)
        _ = try await clerk.post("/v1/me/paper-cards", #"{"code":"\#(second)"}"#, key: "take-3")
    }

    private static let refund = UseCase(
        "refund", "Give the money back, before and after the card was full",
        needs: ["POST /v1/stamps/{position}/reversal", "GET /v1/shops/{id}/stamps"]
    ) { director in
        let cast = try await director.cast()
        let (owner, customer) = (director.recorded(cast.owner), director.recorded(cast.customer))
        let first = try await cast.stamp(try await cast.issue(stamps: 2).code).int("position")
        director.say("The card has two of three stamps when the drinks are given back")
        _ = try await owner.post("/v1/stamps/\(first)/reversal", reason, key: "refund")
        director.say("A stamp is taken back once")
        _ = try await owner.post("/v1/stamps/\(first)/reversal", reason, key: "refund-2")
        director.say("Five more: the card is full and the next one is begun")
        let second = try await cast.stamp(try await cast.issue(stamps: 5).code).int("position")
        _ = try await customer.get("/v1/me/cards")
        director.say("All five are taken back, from both cards; the emptied one is gone")
        _ = try await owner.post("/v1/stamps/\(second)/reversal", reason, key: "refund-3")
        _ = try await customer.get("/v1/me/cards")
        _ = try await owner.get("/v1/shops/\(cast.shop)/stamps")
        director.say("A reward that was handed out: its stamps stay, unless the reward is taken back first")
        let third = try await cast.stamp(try await cast.issue(stamps: 3).code)
        let (redemption, code) = try await cast.redemption(of: try third.string("card", "id"))
        _ = try await cast.redeem(code)
        _ = try await owner.post("/v1/stamps/\(try third.int("position"))/reversal", reason, key: "refund-4")
        _ = try await cast.owner.post("/v1/redemptions/\(redemption)/reversal", reason)
        _ = try await owner.post("/v1/stamps/\(try third.int("position"))/reversal", reason, key: "refund-5")
    }

    private static let part = UseCase(
        "explained-card", "A customer asks why the card shows four stamps", needs: ["GET /v1/shops/{id}/activity"]
    ) { director in
        let cast = try await director.cast(goal: 10)
        let owner = director.recorded(cast.owner)
        _ = try await cast.stamp(try await cast.issue(stamps: 2).code)
        let stamped = try await cast.stamp(try await cast.issue(stamps: 3).code)
        let card = try stamped.string("card", "id")
        director.say("One of the three stamps was too many")
        let path = "/v1/stamps/\(try stamped.int("position"))/reversal"
        _ = try await owner.post(path, #"{"reason":"Two drinks, not three.","stamps":1}"#, key: "part")
        director.say("The same key again takes nothing more")
        _ = try await owner.post(path, #"{"reason":"Two drinks, not three.","stamps":1}"#, key: "part")
        director.say("More than what is left of them is refused")
        _ = try await owner.post(path, #"{"reason":"All of them.","stamps":3}"#, key: "part-2")
        director.say("The card's last six characters lead to its whole story")
        _ = try await owner.get("/v1/shops/\(cast.shop)/activity?card=\(card.suffix(6))&kinds=opened,stamped,stampReversed")
        director.say("So does the number that the customer says; the look-up is recorded")
        _ = try await owner.get("/v1/shops/\(cast.shop)/activity?phone=%2B8613800138002&kinds=stampReversed")
        director.say("The number of somebody without a card here is answered like any other")
        _ = try await owner.get("/v1/shops/\(cast.shop)/activity?phone=%2B8613800138099")
    }

    private static let wrongCode = UseCase(
        "wrong-code", "A strip of codes, and a wrong code given",
        needs: [
            "GET /v1/shops/{id}/codes", "DELETE /v1/shops/{id}/codes", "GET /v1/shops/{id}/redemptions",
        ]
    ) { director in
        let cast = try await director.cast()
        let member = try await director.visitor.signedIn("+8613800138004", name: "clerk")
        try await cast.hire(member)
        let (owner, clerk) = (director.recorded(cast.owner), director.recorded(member))
        director.say("Two codes at once, for a strip of receipts")
        let strip = try await clerk.post("/v1/campaigns/\(cast.campaign)/codes", #"{"count":2,"stamps":3}"#, key: "strip")
        let codes = try #require(try strip.json["items"]?.items?.compactMap { $0["code"]?.string })
        let stamped = try await cast.stamp(codes[0])
        director.say("They were for a customer who ordered less: the other one is destroyed")
        _ = try await owner.get("/v1/shops/\(cast.shop)/codes?status=open&staff=\(clerk.account)")
        _ = try await owner.delete("/v1/shops/\(cast.shop)/codes?staff=\(clerk.account)", key: "destroy")
        _ = try await owner.get("/v1/shops/\(cast.shop)/codes")
        director.say("A redemption, as the shop finds it again")
        _ = try await cast.redeem(try await cast.redemption(of: try stamped.string("card", "id")).code)
        _ = try await clerk.get("/v1/shops/\(cast.shop)/redemptions?from=2026-11-21&to=2026-11-21")
    }

    private static let endedByMistake = UseCase(
        "ended-by-mistake", "A campaign ended by mistake", needs: ["POST /v1/campaigns/{id}/reopening"]
    ) { director in
        let cast = try await director.cast()
        let (owner, customer) = (director.recorded(cast.owner), director.recorded(cast.customer))
        let code = try await cast.issue().code
        _ = try await owner.post("/v1/campaigns/\(cast.campaign)/end", key: "end")
        _ = try await customer.post("/v1/stamps", #"{"code":"\#(code)"}"#, key: "stamp")
        director.say("Within a day its owner takes the end back, and the code is good again")
        _ = try await owner.post("/v1/campaigns/\(cast.campaign)/reopening", key: "reopen")
        _ = try await customer.post("/v1/stamps", #"{"code":"\#(code)"}"#, key: "stamp-2")
        director.say("A day later the end is final")
        _ = try await cast.owner.post("/v1/campaigns/\(cast.campaign)/end")
        director.clock.advance(seconds: 86_400)
        let back = director.recorded(try await director.visitor.signedIn("+8613800138001", name: "owner"))
        _ = try await back.post("/v1/campaigns/\(cast.campaign)/reopening", key: "reopen-2")
    }

    private static let closing = UseCase("closing", "Close a shop for good", needs: ["POST /v1/shops/{id}/closing"]) { director in
        let cast = try await director.cast()
        let member = try await director.visitor.signedIn("+8613800138004", name: "clerk")
        try await cast.hire(member)
        let clerk = director.recorded(member)
        let card = try await cast.fullCard()
        let (owner, customer) = (director.recorded(cast.owner), director.recorded(cast.customer))
        let body = #"{"reason":"We move to another town.","redeemUntil":"2026-12-24T18:00:00Z"}"#
        _ = try await owner.post("/v1/shops/\(cast.shop)/closing", body, key: "close")
        director.say("Nobody works there any more, and nothing new begins")
        _ = try await clerk.post("/v1/campaigns/\(cast.campaign)/codes", "{}", key: "code")
        _ = try await owner.post("/v1/shops/\(cast.shop)/campaigns", Cast.campaignBody(), key: "campaign")
        _ = try await owner.post("/v1/shops/\(cast.shop)/closing", key: "close-2")
        director.say("What is full is still redeemed, by the owner, until the date")
        let code = try await customer.post("/v1/cards/\(card)/redemption", key: "request").string("code")
        _ = try await owner.post("/v1/redemptions", #"{"code":"\#(code)"}"#, key: "redeem")
    }
}
