import Testing

/// Shops of one owner that share a campaign.
extension UseCase {
    static let branches: [UseCase] = [sharedCampaign, brandStatistics]

    private static let brandStatistics = UseCase(
        "brand-statistics", "A brand's statistics", needs: ["GET /v1/me/statistics", "GET /v1/shops/{id}/statistics"]
    ) { director in
        let owner = director.recorded(try await director.visitor.signedIn("+8613800138001", name: "owner"))
        let customer = director.recorded(try await director.visitor.signedIn("+8613800138002", name: "customer"))
        let first = try await owner.post("/v1/shops", Cast.shopBody, key: "first").string("id")
        let body = Cast.shopBody.replacing("好喝奶茶店", with: "好喝奶茶店二店")
        let second = try await owner.post("/v1/shops", body, key: "second").string("id")
        let draft = Cast.campaignBody(title: "Three cups anywhere").dropLast() + #","shops":["\#(second)"]}"#
        let campaign = try await owner.post("/v1/shops/\(first)/campaigns", String(draft), key: "campaign").string("id")
        director.say("One card: a cup at the first shop, two at the second, where the reward is handed out")
        var card = ""
        for (shop, stamps, key) in [(first, 1, "here"), (second, 2, "there")] {
            let issue = #"{"stamps":\#(stamps),"shop":"\#(shop)"}"#
            let code = try await owner.post("/v1/campaigns/\(campaign)/codes", issue, key: key).string("code")
            card = try await customer.post("/v1/stamps", #"{"code":"\#(code)"}"#, key: key).string("card", "id")
        }
        let reward = try await customer.post("/v1/cards/\(card)/redemption", key: "request").string("code")
        _ = try await owner.post("/v1/redemptions", #"{"code":"\#(reward)","shop":"\#(second)"}"#, key: "redeem")
        director.say("Each stamp counts at the shop where it was given; the brand has one card and one customer")
        _ = try await owner.get("/v1/me/statistics?from=2026-11-21&to=2026-11-21")
        director.say("One shop alone, in another time zone, in which it was another day")
        _ = try await owner.get("/v1/shops/\(second)/statistics?from=2026-11-20&to=2026-11-20&timeZone=Pacific/Pago_Pago")
        director.say("Who owns no shop has no brand")
        _ = try await customer.get("/v1/me/statistics?from=2026-11-21&to=2026-11-21")
    }

    private static let sharedCampaign = UseCase("branches", "Branches and a shared campaign") { director in
        let owner = director.recorded(try await director.visitor.signedIn("+8613800138001", name: "owner"))
        let clerk = director.recorded(try await director.visitor.signedIn("+8613800138003", name: "clerk"))
        let customer = director.recorded(try await director.visitor.signedIn("+8613800138002", name: "customer"))
        let first = try await owner.post("/v1/shops", Cast.shopBody, key: "first").string("id")
        let body = Cast.shopBody.replacing("好喝奶茶店", with: "好喝奶茶店二店")
        let second = try await owner.post("/v1/shops", body, key: "second").string("id")
        director.say("The second shop has a clerk, who works nowhere else")
        _ = try await owner.put("/v1/shops/\(second)/staff/\(clerk.account)", #"{"role":"counter"}"#, key: "hire")
        let offer = try await clerk.get("/v1/me/invitations").json["items"]?[0]?["id"]?.string ?? ""
        _ = try await clerk.post("/v1/me/invitations/\(offer)/acceptance", key: "accept")
        director.say("One campaign for both; nobody shares with shops of others, or that do not exist")
        let shared = Cast.campaignBody(title: "Three cups anywhere").dropLast()
        let strange = String(shared) + #","shops":["shop_00000000000000000000000000"]}"#
        _ = try await owner.post("/v1/shops/\(first)/campaigns", strange, key: "strange")
        let draft = String(shared) + #","shops":["\#(second)"]}"#
        let campaign = try await owner.post("/v1/shops/\(first)/campaigns", draft, key: "campaign").string("id")
        director.say("The second shop's page shows it, too")
        _ = try await customer.get("/v1/shops/\(second)")
        director.say("The clerk issues a code at the second shop, and the customer begins a card")
        let code = try await clerk.post("/v1/campaigns/\(campaign)/codes", #"{"stamps":2}"#, key: "code").string("code")
        let card = try await customer.post("/v1/stamps", #"{"code":"\#(code)"}"#, key: "two").string("card", "id")
        director.say("The owner works at both: it is the campaign's own shop unless the other is named")
        _ = try await owner.post("/v1/campaigns/\(campaign)/codes", #"{"shop":"\#(second)"}"#, key: "there")
        let other = try await owner.post("/v1/campaigns/\(campaign)/codes", "{}", key: "here").string("code")
        _ = try await customer.post("/v1/stamps", #"{"code":"\#(other)"}"#, key: "third")
        _ = try await customer.get("/v1/cards/\(card)")
        director.say("The full card is redeemed at the second shop")
        let reward = try await customer.post("/v1/cards/\(card)/redemption", key: "request").string("code")
        _ = try await clerk.post("/v1/redemptions", #"{"code":"\#(reward)"}"#, key: "redeem")
        director.say("Each shop counts what happened there")
        _ = try await owner.get("/v1/shops/\(first)/statistics?from=2026-11-21&to=2026-11-21")
        _ = try await owner.get("/v1/shops/\(second)/statistics?from=2026-11-21&to=2026-11-21")
        _ = try await clerk.get("/v1/shops/\(second)/stamps")
        _ = try await clerk.get("/v1/shops/\(first)/stamps")
        director.say("The owner takes the second shop out: the clerk issues no more codes of it, and the card stays")
        _ = try await owner.edit("/v1/campaigns/\(campaign)", #"{"shops":null}"#, seen: "*", key: "alone")
        _ = try await clerk.post("/v1/campaigns/\(campaign)/codes", "{}", key: "late")
    }
}
