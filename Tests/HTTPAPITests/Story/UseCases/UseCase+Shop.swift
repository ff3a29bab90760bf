import HTTPTypes
import Testing

extension UseCase {
    static let keepingShop = [
        openShop, editShop, looks, staff, staffNames, waitingOffer, publish, editCampaign, issueCodes, verifyRedemptions, reversal,
        statistics, analytics, digest, customers,
    ]

    private static let openShop = UseCase("open-shop", "Open a shop") { director in
        let owner = director.recorded(try await director.visitor.signedIn("+8613800138001", name: "owner"))
        let shop = try await owner.post("/v1/shops", Cast.shopBody, key: "open").string("id")
        director.say("An account opens one")
        _ = try await owner.post("/v1/shops", Cast.shopBody, key: "open-2")
        _ = try await owner.get("/v1/me")
        _ = try await director.anybody.get("/v1/shops/\(shop)")
    }

    private static let editShop = UseCase("edit-shop", "Edit a shop", needs: ["PATCH /v1/shops/{id}"]) { director in
        let cast = try await director.cast()
        let owner = director.recorded(cast.owner)
        let tag = try await owner.get("/v1/shops/\(cast.shop)").headers[.eTag] ?? "*"
        let body = #"{"phone":"+861087654321"}"#
        director.say("An edit says what it has seen")
        _ = try await owner.send(.patch, "/v1/shops/\(cast.shop)", body, key: "edit-1")
        _ = try await owner.send(.patch, "/v1/shops/\(cast.shop)", body, key: "edit-2", headers: [.ifMatch: tag])
        director.say("Seen before that edit: somebody would be overwritten")
        _ = try await owner.send(.patch, "/v1/shops/\(cast.shop)", #"{"name":"更好喝"}"#, key: "edit-3", headers: [.ifMatch: tag])
        director.say("Only the owner")
        _ = try await director.recorded(cast.customer).send(.patch, "/v1/shops/\(cast.shop)", body, key: "edit", headers: [.ifMatch: "*"])
    }

    private static let editCampaign = UseCase("edit-campaign", "Edit a campaign", needs: ["PATCH /v1/campaigns/{id}"]) { director in
        let cast = try await director.cast()
        let owner = director.recorded(cast.owner)
        _ = try await cast.stamp(try await cast.issue().code)
        let tag = try await owner.get("/v1/campaigns/\(cast.campaign)").headers[.eTag] ?? "*"
        director.say("A changed goal holds for cards that open later")
        _ = try await owner.send(.patch, "/v1/campaigns/\(cast.campaign)", #"{"goal":8}"#, key: "edit", headers: [.ifMatch: tag])
        _ = try await director.recorded(cast.customer).get("/v1/me/cards")
    }

    private static let staff = UseCase(
        "staff", "Let others work at the shop",
        needs: [
            "GET /v1/shops/{id}/staff", "PUT /v1/shops/{id}/staff/{account}", "DELETE /v1/shops/{id}/staff/{account}",
            "GET /v1/me/invitations", "POST /v1/me/invitations/{id}/acceptance", "DELETE /v1/me/invitations/{id}", "GET /v1/me/shops",
            "DELETE /v1/me/employments/{shop}", "POST /v1/shops/{id}/invitations", "GET /v1/shops/{id}/invitations",
            "DELETE /v1/shops/{id}/invitations/{invitation}",
        ]
    ) { director in
        let cast = try await director.cast()
        let owner = director.recorded(cast.owner)
        let clerk = director.recorded(try await director.visitor.signedIn("+8613800138004", name: "clerk"))
        director.say("An offer: nothing changes until the invited account accepts it")
        _ = try await owner.send(.put, "/v1/shops/\(cast.shop)/staff/\(clerk.account)", key: "hire")
        let offers = try await clerk.get("/v1/me/invitations")
        let offer = try #require(try offers.json["items"]?[0]?["id"]?.string)
        _ = try await clerk.post("/v1/me/invitations/\(offer)/acceptance", key: "accept")
        _ = try await clerk.get("/v1/me/shops")
        _ = try await owner.get("/v1/shops/\(cast.shop)/staff")
        director.say("Staff may issue codes and redeem, and collect elsewhere")
        let code = try await clerk.post("/v1/campaigns/\(cast.campaign)/codes", "{}", key: "code").string("code")
        _ = try await clerk.post("/v1/stamps", #"{"code":"\#(code)"}"#, key: "stamp")
        director.say("No longer")
        _ = try await owner.delete("/v1/shops/\(cast.shop)/staff/\(clerk.account)", key: "fire")
        _ = try await clerk.post("/v1/campaigns/\(cast.campaign)/codes", "{}", key: "code-2")
        director.say("By phone: the answer is the same whether or not the number is known")
        _ = try await owner.post("/v1/shops/\(cast.shop)/invitations", #"{"phone":"+8613800138004"}"#, key: "phone")
        _ = try await owner.post("/v1/shops/\(cast.shop)/invitations", #"{"phone":"+8613800138099"}"#, key: "phone-2")
        let open = try await owner.get("/v1/shops/\(cast.shop)/invitations")
        let nobody = try #require(try open.json["items"]?.items).compactMap { $0["id"]?.string }
        let mine = try #require(try await clerk.get("/v1/me/invitations").json["items"]?[0]?["id"]?.string)
        director.say("Declined; and the other one is withdrawn")
        _ = try await clerk.delete("/v1/me/invitations/\(mine)", key: "decline")
        _ = try await clerk.post("/v1/me/invitations/\(mine)/acceptance", key: "late")
        for offer in nobody where offer != mine {
            _ = try await owner.delete("/v1/shops/\(cast.shop)/invitations/\(offer)", key: "withdraw")
        }
        director.say("Staff leave when they like; somebody who works nowhere has nothing to leave")
        _ = try await clerk.delete("/v1/me/employments/\(cast.shop)", key: "leave")
    }

    private static let looks = UseCase("shop-look", "Choose a color and a logo", needs: ["PATCH /v1/shops/{id}"]) { director in
        let cast = try await director.cast()
        let owner = director.recorded(cast.owner)
        let logo = try await owner.picture()
        director.say("One of twelve colors, each with a tone for light and dark screens")
        let body = #"{"color":"teal","logo":"\#(logo)"}"#
        _ = try await owner.send(.patch, "/v1/shops/\(cast.shop)", body, key: "look", headers: [.ifMatch: "*"])
        _ = try await owner.send(.patch, "/v1/shops/\(cast.shop)", ##"{"color":"#00ff00"}"##, key: "green", headers: [.ifMatch: "*"])
        director.say("Customers see both")
        _ = try await cast.stamp(try await cast.issue().code)
        _ = try await director.recorded(cast.customer).get("/v1/me/cards")
        _ = try await director.anybody.get("/v1/campaigns/\(cast.campaign)")
        director.say("Null takes them away")
        let bare = #"{"color":null,"logo":null}"#
        _ = try await owner.send(.patch, "/v1/shops/\(cast.shop)", bare, key: "bare", headers: [.ifMatch: "*"])
    }

    private static let staffNames = UseCase(
        "staff-names", "Name the people of a shop", needs: ["PATCH /v1/shops/{id}/staff/{account}"]
    ) { director in
        let cast = try await director.cast()
        let owner = director.recorded(cast.owner)
        let member = try await director.visitor.signedIn("+8613800138004", name: "clerk")
        try await cast.hire(member)
        let (clerk, path) = (director.recorded(member), "/v1/shops/\(cast.shop)/staff/\(member.account)")
        director.say("The team sees the name, and so does the member")
        _ = try await owner.patch(path, #"{"label":"阿美"}"#, key: "name")
        _ = try await owner.get("/v1/shops/\(cast.shop)/staff")
        _ = try await clerk.get("/v1/me/shops")
        _ = try await clerk.post("/v1/campaigns/\(cast.campaign)/codes", "{}", key: "code")
        _ = try await owner.get("/v1/shops/\(cast.shop)/codes")
        director.say("Counter staff name nobody, and strangers have no name")
        _ = try await clerk.patch(path, #"{"label":"Mei"}"#, key: "own")
        _ = try await owner.patch("/v1/shops/\(cast.shop)/staff/\(cast.customer.account)", #"{"label":"Mei"}"#, key: "stranger")
        director.say("Taken away")
        _ = try await owner.patch(path, #"{"label":null}"#, key: "none")
    }

    private static let waitingOffer = UseCase(
        "waiting-offer", "Offer work to a number that nobody has registered", needs: ["POST /v1/shops/{id}/invitations"]
    ) { director in
        let cast = try await director.cast()
        let owner = director.recorded(cast.owner)
        _ = try await owner.post("/v1/shops/\(cast.shop)/invitations", #"{"phone":"+8613800138044"}"#, key: "offer")
        director.say("Whoever registers the number finds the offer")
        let clerk = director.recorded(try await director.visitor.signedIn("+8613800138044", name: "clerk"))
        let offer = try #require(try await clerk.get("/v1/me/invitations").json["items"]?[0]?["id"]?.string)
        _ = try await clerk.post("/v1/me/invitations/\(offer)/acceptance", key: "accept")
        director.say("So does an account that changes to an invited number")
        _ = try await owner.post("/v1/shops/\(cast.shop)/invitations", #"{"phone":"+8613800138055"}"#, key: "offer-2")
        let customer = director.recorded(cast.customer)
        let code = try await customer.post("/v1/verifications", #"{"phone":"+8613800138055"}"#).string("devCode")
        _ = try await customer.put("/v1/me/phone", #"{"phone":"+8613800138055","code":"\#(code)"}"#, key: "number")
        _ = try await customer.get("/v1/me/invitations")
    }

    private static let reversal = UseCase("reversal", "Take a redemption back", needs: ["POST /v1/redemptions/{id}/reversal"]) { director in
        let cast = try await director.cast()
        let (redemption, code) = try await cast.redemption(of: try await cast.fullCard())
        _ = try await cast.redeem(code)
        let body = #"{"reason":"The wrong card was shown."}"#
        _ = try await director.recorded(cast.owner).post("/v1/redemptions/\(redemption)/reversal", body, key: "back")
        director.say("The card is full again")
        _ = try await director.recorded(cast.customer).get("/v1/me/cards")
        _ = try await director.recorded(cast.customer).get("/v1/redemptions/\(redemption)")
    }

    private static let statistics = UseCase("statistics", "See how the shop goes", needs: ["GET /v1/shops/{id}/statistics"]) { director in
        let cast = try await director.cast()
        _ = try await cast.redeem(try await cast.redemption(of: try await cast.fullCard()).code)
        director.clock.advance(seconds: 600)
        let last = try await cast.stamp(try await cast.issue().code)
        let days = "from=2026-11-20&to=2026-11-23&timeZone=Asia/Shanghai"
        let position = "\(try last.int("position"))"
        _ = try await director.recorded(cast.owner).send(
            .get, "/v1/shops/\(cast.shop)/statistics?\(days)", headers: [.minPosition: position])
    }

    private static let analytics = UseCase(
        "analytics", "See who comes back and which cards are left", needs: ["GET /v1/shops/{id}/analytics"]
    ) { director in
        let cast = try await director.cast()
        _ = try await cast.redeem(try await cast.redemption(of: try await cast.fullCard()).code)
        director.clock.advance(seconds: 600)
        let last = try await cast.stamp(try await cast.issue().code)
        let asked = "from=2026-11-16&to=2026-11-22&timeZone=Asia/Shanghai&campaign=\(cast.campaign)&weeks=2"
        let position = "\(try last.int("position"))"
        _ = try await director.recorded(cast.owner).send(
            .get, "/v1/shops/\(cast.shop)/analytics?\(asked)", headers: [.minPosition: position])
    }

    private static let digest = UseCase("digest", "See what to look at today", needs: ["GET /v1/shops/{id}/digest"]) { director in
        let cast = try await director.cast()
        let owner = director.recorded(cast.owner)
        director.say("Nothing stands out in a few visits")
        _ = try await cast.redeem(try await cast.redemption(of: try await cast.fullCard()).code)
        _ = try await owner.get("/v1/shops/\(cast.shop)/digest")
        director.say("Thirty full cards whose reward nobody has taken for two weeks")
        for number in 0..<30 {
            let body = #"{"phone":"+86139001390\#(10 + number)","stamps":3}"#
            _ = try await cast.owner.post("/v1/campaigns/\(cast.campaign)/stamps", body, key: "guest-\(number)")
        }
        director.clock.advance(seconds: 15 * 86_400)
        let later = director.recorded(try await director.visitor.signedIn("+8613800138001", name: "owner"))
        _ = try await later.get("/v1/shops/\(cast.shop)/digest")
    }

    private static let customers = UseCase(
        "customers", "See who comes, and who has not come lately", needs: ["GET /v1/shops/{id}/customers"]
    ) { director in
        let cast = try await director.cast()
        _ = try await cast.customer.patch("/v1/me", #"{"nickname":"小绿"}"#)
        _ = try await cast.customer.post("/v1/shops/\(cast.shop)/reviews", #"{"rating":5}"#)
        let guest = try await director.visitor.signedIn("+8613800138005", name: "guest")
        _ = try await cast.stamp(try await cast.issue(stamps: 2).code, as: guest)
        _ = try await cast.stamp(try await cast.issue().code)
        director.clock.advance(seconds: 86_400)
        let (tomorrow, again) = (
            try await director.visitor.signedIn("+8613800138001", name: "owner"),
            try await director.visitor.signedIn("+8613800138002", name: "customer")
        )
        let issued = try await tomorrow.post("/v1/campaigns/\(cast.campaign)/codes", #"{"stamps":1,"validFor":600}"#)
        let last = try await cast.stamp(try issued.string("code"), as: again)
        let path = "/v1/shops/\(cast.shop)/customers"
        let owner = director.recorded(tomorrow)
        _ = try await owner.send(.get, path, headers: [.minPosition: "\(try last.int("position"))"])
        director.say("By a part of the nickname")
        _ = try await owner.get(path + "?segment=nearlyFull&q=%E7%BB%BF")
        director.say("Three weeks later nobody has come again")
        director.clock.advance(seconds: 21 * 86_400)
        let later = director.recorded(try await director.visitor.signedIn("+8613800138001", name: "owner"))
        _ = try await later.get(path + "?segment=lapsed&limit=1")
        director.say("There is no other segment")
        _ = try await later.get(path + "?segment=best")
    }

    private static let publish = UseCase("publish-campaign", "Publish a campaign, and end it") { director in
        let cast = try await director.cast()
        let owner = director.recorded(cast.owner)
        director.say("A stamp card")
        let campaign = try await owner.post("/v1/shops/\(cast.shop)/campaigns", Cast.campaignBody(goal: 10), key: "publish").string("id")
        director.say("A promotion needs no goal")
        let promotion = """
            {"kind":"promotion","title":"Second cup at half price","details":"On weekdays.",\
            "startsAt":"2026-11-01T00:00:00Z","endsAt":"2026-12-01T00:00:00Z"}
            """
        _ = try await owner.post("/v1/shops/\(cast.shop)/campaigns", promotion, key: "publish-2")
        director.say("Over before its time: no more codes")
        _ = try await owner.post("/v1/campaigns/\(campaign)/end", key: "end")
        _ = try await owner.post("/v1/campaigns/\(campaign)/codes", "{}", key: "late")
        director.say("Others may not")
        _ = try await director.recorded(cast.customer).post("/v1/campaigns/\(cast.campaign)/end", key: "end")
    }

    private static let issueCodes = UseCase("issue-codes", "Issue stamp codes, and take one back") { director in
        let cast = try await director.cast()
        let owner = director.recorded(cast.owner)
        director.say("One stamp, ten minutes, where nothing is said")
        let code = try await owner.post("/v1/campaigns/\(cast.campaign)/codes", key: "code-1").string("id")
        _ = try await owner.get("/v1/codes/\(code)")
        director.say("Three stamps for a minute")
        let three = try await owner.post("/v1/campaigns/\(cast.campaign)/codes", #"{"stamps":3,"validFor":60}"#, key: "code-2")
        _ = try await cast.stamp(try three.string("code"))
        _ = try await owner.get("/v1/codes/\(try three.string("id"))")
        director.say("The wrong button: the open one is destroyed, the used one cannot be")
        _ = try await owner.delete("/v1/codes/\(code)", key: "destroy")
        _ = try await owner.get("/v1/codes/\(code)")
        _ = try await owner.delete("/v1/codes/\(try three.string("id"))", key: "destroy-2")
    }

    private static let verifyRedemptions = UseCase("verify-redemptions", "Verify a redemption code and hand out the reward") { director in
        let cast = try await director.cast()
        let owner = director.recorded(cast.owner)
        let code = try await cast.redemption(of: try await cast.fullCard()).code
        director.say("What is it good for?")
        _ = try await owner.post("/v1/redemptions/preview", #"{"code":"\#(code)"}"#)
        director.say("The reward is handed out")
        _ = try await owner.post("/v1/redemptions", #"{"code":"\#(code)"}"#, key: "redeem")
        director.say("It works once; another shop's, a wrong and an old code are answered alike")
        _ = try await owner.post("/v1/redemptions", #"{"code":"\#(code)"}"#, key: "redeem-2")
        director.say("Who works nowhere has no business with codes")
        _ = try await director.recorded(cast.customer).post("/v1/redemptions", #"{"code":"\#(code)"}"#, key: "mine")
    }
}
