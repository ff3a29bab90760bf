import Testing

extension UseCase {
    static let terms = [limitedCards, coupon, bonusHours, cardExpires, milestones]

    private static let milestones = UseCase("milestones", "Smaller rewards on the way to a full card") { director in
        let cast = try await director.cast()
        let (owner, customer) = (director.recorded(cast.owner), director.recorded(cast.customer))
        func body(_ milestones: String) -> String {
            String(Cast.campaignBody(goal: 5, title: "Five cups").dropLast()) + #","milestones":[\#(milestones)]}"#
        }
        director.say("Milestones lie on the way: below the goal, each further than the one before")
        _ = try await owner.post(
            "/v1/shops/\(cast.shop)/campaigns", body(#"{"at":3,"reward":"A cookie"},{"at":2,"reward":"A sticker"}"#), key: "wrong")
        let campaign = try await owner.post(
            "/v1/shops/\(cast.shop)/campaigns", body(#"{"at":2,"reward":"A cookie"},{"at":4,"reward":"A small tea"}"#), key: "campaign"
        ).string("id")
        func code(_ stamps: Int) async throws -> String {
            try await cast.owner.post("/v1/campaigns/\(campaign)/codes", #"{"stamps":\#(stamps)}"#).string("code")
        }
        director.say("The second cup reaches the first of them")
        let card = try await customer.post("/v1/stamps", #"{"code":"\#(try await code(2))"}"#, key: "first").string("card", "id")
        director.say("It is asked for by its stamps; the next is not there yet")
        _ = try await customer.post("/v1/cards/\(card)/redemption", #"{"milestone":4}"#, key: "early")
        let shown = try await customer.post("/v1/cards/\(card)/redemption", #"{"milestone":2}"#, key: "ask").string("code")
        director.say("The shop sees what it is for, and hands it out")
        _ = try await owner.post("/v1/redemptions/preview", #"{"code":"\#(shown)"}"#)
        let redeemed = try await owner.post("/v1/redemptions", #"{"code":"\#(shown)"}"#, key: "redeem")
        director.say("Once: the card goes on with all its stamps")
        _ = try await customer.post("/v1/cards/\(card)/redemption", #"{"milestone":2}"#, key: "again")
        director.say("It was the wrong cookie: the shop takes it back, and the milestone can be redeemed again")
        _ = try await owner.post(
            "/v1/redemptions/\(try redeemed.string("redemption", "id"))/reversal", #"{"reason":"The wrong cookie"}"#, key: "back")
        _ = try await customer.get("/v1/cards/\(card)")
    }

    private static let bonusHours = UseCase("bonus-hours", "A quiet hour: codes of a Saturday afternoon count three times") { director in
        let cast = try await director.cast()
        let (owner, customer) = (director.recorded(cast.owner), director.recorded(cast.customer))
        func body(_ hours: String) -> String {
            String(Cast.campaignBody(goal: 5, title: "Quiet hours").dropLast()) + #","bonuses":[\#(hours)]}"#
        }
        director.say(
            "It is Saturday, five in the afternoon, at the shop. Hours that overlap are refused: nobody could say which factor holds")
        let afternoon = #"{"days":["saturday","sunday"],"from":"16:00","to":"17:10","factor":3}"#
        let evening = #"{"days":["saturday"],"from":"17:00","to":"01:00","factor":2}"#
        _ = try await owner.post("/v1/shops/\(cast.shop)/campaigns", body(afternoon + "," + evening), key: "overlap")
        let campaign = try await owner.post("/v1/shops/\(cast.shop)/campaigns", body(afternoon), key: "campaign").string("id")
        director.say("A code of one stamp gives three")
        func code() async throws -> String { try await owner.post("/v1/campaigns/\(campaign)/codes", "{}").string("code") }
        _ = try await customer.post("/v1/stamps", #"{"code":"\#(try await code())"}"#, key: "first")
        director.say("A code that was issued in the last minute of the hour counts as much when it is entered later")
        director.clock.advance(seconds: 599)
        let kept = try await code()
        director.clock.advance(seconds: 120)
        let late = try await customer.post("/v1/stamps", #"{"code":"\#(kept)"}"#, key: "second")
        director.say("One that is issued after it counts once")
        _ = try await customer.post("/v1/stamps", #"{"code":"\#(try await code())"}"#, key: "third")
        director.say("A refund takes back all that the code gave, off both cards")
        _ = try await owner.post(
            "/v1/stamps/\(try late.int("position"))/reversal", #"{"reason":"Refunded"}"#, key: "refund")
        director.say("The owner ends the hours, and keeps the campaign")
        _ = try await owner.edit("/v1/campaigns/\(campaign)", #"{"bonuses":null}"#, seen: "*")
    }

    private static let cardExpires = UseCase("card-expires", "A card that expires: reminded of, then over") { director in
        let cast = try await director.cast()
        director.say("Cards of this campaign are good for twenty days")
        let body = String(Cast.campaignBody(title: "Three cups in twenty days").dropLast()) + #","cardValidDays":20}"#
        let campaign = try await director.recorded(cast.owner).post("/v1/shops/\(cast.shop)/campaigns", body, key: "campaign").string("id")
        func code() async throws -> String {
            let owner = try await director.visitor.signedIn("+8613800138001", name: "owner")
            return try await owner.post("/v1/campaigns/\(campaign)/codes", "{}").string("code")
        }
        func customer() async throws -> Visitor {
            director.recorded(try await director.visitor.signedIn("+8613800138002", name: "customer"))
        }
        let first = try await code()
        let card = try await customer().post("/v1/stamps", #"{"code":"\#(first)"}"#, key: "first").string("card", "id")
        director.say("Fourteen days before the end, a reminder is among my notices")
        try await director.wait(seconds: 6 * 86_400)
        let notice = try await customer().get("/v1/me/notices").json["items"]?[0]?["id"]?.string ?? ""
        _ = try await customer().put("/v1/me/notices/\(notice)/read", key: "read")
        director.say("And two days before, once more")
        try await director.wait(seconds: 12 * 86_400)
        _ = try await customer().get("/v1/me/notices")
        director.say("At the end the card has expired, and is good for nothing")
        try await director.wait(seconds: 2 * 86_400)
        _ = try await customer().get("/v1/cards/\(card)")
        _ = try await customer().get("/v1/me/cards?status=expired")
        _ = try await customer().post("/v1/cards/\(card)/redemption", key: "too-late")
        director.say("The next cup begins a new card")
        let next = try await code()
        _ = try await customer().post("/v1/stamps", #"{"code":"\#(next)"}"#, key: "next")
        director.say("And the old one may be thrown away")
        _ = try await customer().delete("/v1/cards/\(card)", key: "away")
    }

    private static let coupon = UseCase("coupon", "A coupon: claimed once, redeemed like a full card") { director in
        let cast = try await director.cast()
        let (owner, customer) = (director.recorded(cast.owner), director.recorded(cast.customer))
        let campaign = try await owner.post("/v1/shops/\(cast.shop)/campaigns", Cast.couponBody(), key: "campaign").string("id")
        director.say("Anybody finds what coupons there are")
        _ = try await customer.get("/v1/campaigns?kind=coupon")
        director.say("A claim gives a card that is full at once; a second claim is refused")
        let card = try await customer.post("/v1/campaigns/\(campaign)/coupon", key: "claim").string("card", "id")
        _ = try await customer.post("/v1/campaigns/\(campaign)/coupon", key: "again")
        director.say("At the counter it is redeemed like any full card")
        let code = try await customer.post("/v1/cards/\(card)/redemption", key: "request").string("code")
        _ = try await owner.post("/v1/redemptions", #"{"code":"\#(code)"}"#, key: "redeem")
        director.say("And is not claimed once more")
        _ = try await customer.post("/v1/campaigns/\(campaign)/coupon", key: "later")
    }

    private static let limitedCards = UseCase(
        "limited-cards", "A campaign with a welcome, a limit of cards, and a last day for rewards"
    ) { director in
        let cast = try await director.cast()
        let (owner, customer) = (director.recorded(cast.owner), director.recorded(cast.customer))
        director.say("Three cups fill a card, the first cup counts twice, and nobody fills more than one card")
        let body =
            Cast.campaignBody(title: "One card for everybody").dropLast()
            + #","repeats":1,"welcomeStamps":1,"redeemUntil":"2027-11-30T00:00:00Z"}"#
        let campaign = try await owner.post("/v1/shops/\(cast.shop)/campaigns", String(body), key: "campaign").string("id")
        func code(_ stamps: Int) async throws -> String {
            try await cast.owner.post("/v1/campaigns/\(campaign)/codes", #"{"stamps":\#(stamps)}"#).string("code")
        }
        _ = try await customer.post("/v1/stamps", #"{"code":"\#(try await code(1))"}"#, key: "first")
        director.say("Three cups more: one fills the card, and the others lapse")
        let full = try await customer.post("/v1/stamps", #"{"code":"\#(try await code(3))"}"#, key: "second").string("card", "id")
        director.say("The next code is refused, and may be given to somebody else")
        _ = try await customer.post("/v1/stamps", #"{"code":"\#(try await code(1))"}"#, key: "third")
        director.say("The reward is there until the last day that the campaign named")
        _ = try await customer.post("/v1/cards/\(full)/redemption", key: "request")
    }
}
