import HTTPTypes
import Testing

/// Use cases about a shop's staff and owner, and about the shop's end.
extension UseCase {
    static let merchants = [openingDay, memberLeaves, transfer, twoShops]

    /// Accepts the newest invitation or transfer offer of a visitor.
    private static func accept(_ visitor: Visitor, key: String) async throws {
        let offer = try #require(try await visitor.get("/v1/me/invitations").json["items"]?[0]?["id"]?.string)
        _ = try await visitor.post("/v1/me/invitations/\(offer)/acceptance", key: key)
    }

    private static let openingDay = UseCase(
        "opening-day", "Open a shop with a manager and counter staff",
        needs: ["POST /v1/shops", "POST /v1/shops/{id}/invitations", "GET /v1/shops/{id}/staff", "POST /v1/shops/{id}/campaigns"]
    ) { director in
        let owner = director.recorded(try await director.visitor.signedIn("+8613800138001", name: "owner"))
        let manager = director.recorded(try await director.visitor.signedIn("+8613800138005", name: "manager"))
        let clerk = director.recorded(try await director.visitor.signedIn("+8613800138004", name: "clerk"))
        let shop = try await owner.post("/v1/shops", Cast.shopBody, key: "open").string("id")
        director.say("The owner knows two numbers, and offers each a role")
        let invitations = "/v1/shops/\(shop)/invitations"
        _ = try await owner.post(invitations, #"{"phone":"+8613800138005","role":"manager"}"#, key: "manager")
        _ = try await owner.post(invitations, #"{"phone":"+8613800138004","role":"counter"}"#, key: "clerk")
        try await accept(manager, key: "yes")
        try await accept(clerk, key: "yes")
        director.say("The manager publishes the first campaign, which counter staff may not")
        let campaigns = "/v1/shops/\(shop)/campaigns"
        _ = try await clerk.post(campaigns, Cast.campaignBody(), key: "publish")
        let campaign = try await manager.post(campaigns, Cast.campaignBody(), key: "publish").string("id")
        director.say("The first customer")
        let code = try await clerk.post("/v1/campaigns/\(campaign)/codes", "{}", key: "code").string("code")
        let customer = director.recorded(try await director.visitor.signedIn("+8613800138002", name: "customer"))
        _ = try await customer.post("/v1/stamps", #"{"code":"\#(code)"}"#, key: "stamp")
        director.say("Who works here")
        _ = try await manager.get("/v1/shops/\(shop)/staff")
        director.say("The clerk is to manage as well, and says yes; the owner thinks again")
        let place = "/v1/shops/\(shop)/staff/\(clerk.account)"
        _ = try await owner.put(place, #"{"role":"manager"}"#, key: "rise")
        try await accept(clerk, key: "rise")
        _ = try await clerk.get("/v1/me/shops")
        _ = try await owner.put(place, #"{"role":"counter"}"#, key: "fall")
        _ = try await clerk.get("/v1/me/shops")
    }

    private static let memberLeaves = UseCase(
        "member-leaves", "A member of the staff leaves",
        needs: ["DELETE /v1/me/employments/{shop}", "GET /v1/shops/{id}/codes"]
    ) { director in
        let cast = try await director.cast()
        let owner = director.recorded(cast.owner)
        let manager = director.recorded(try await director.visitor.signedIn("+8613800138005", name: "manager"))
        try await cast.hire(try await director.visitor.signedIn("+8613800138005"), as: "manager")
        let code = try await manager.post("/v1/campaigns/\(cast.campaign)/codes", "{}", key: "code")
        director.clock.advance(seconds: 60)
        director.say("The manager goes, and the code that was still open with them")
        _ = try await manager.delete("/v1/me/employments/\(cast.shop)", key: "leave")
        _ = try await owner.get("/v1/codes/\(try code.string("id"))")
        director.say("From then on they see nothing of the shop")
        _ = try await manager.get("/v1/shops/\(cast.shop)/statistics")
        _ = try await manager.get("/v1/shops/\(cast.shop)/stamps")
        _ = try await manager.get("/v1/codes/\(try code.string("id"))")
        _ = try await manager.get("/v1/me/shops")
        _ = try await owner.get("/v1/shops/\(cast.shop)/staff")
    }

    private static let transfer = UseCase(
        "transfer", "Give a shop to another account", needs: ["POST /v1/shops/{id}/transfer", "DELETE /v1/shops/{id}/transfer"]
    ) { director in
        let cast = try await director.cast()
        let (owner, customer) = (director.recorded(cast.owner), director.recorded(cast.customer))
        let open = try await cast.issue()
        let full = try await cast.fullCard()
        let path = "/v1/shops/\(cast.shop)/transfer"
        director.say("An offer to a number: the answer is the same whether or not anybody has it")
        _ = try await owner.post(path, #"{"phone":"+8613800138099"}"#, key: "offer")
        _ = try await owner.post(path, #"{"phone":"+8613800138002"}"#, key: "offer-2")
        director.say("The owner thinks again, and again")
        _ = try await owner.delete(path, key: "keep")
        _ = try await owner.post(path, #"{"phone":"+8613800138002"}"#, key: "offer-3")
        _ = try await customer.get("/v1/me/invitations")
        director.clock.advance(seconds: 60)
        director.say("A customer becomes the owner")
        try await accept(customer, key: "take")
        _ = try await customer.get("/v1/me/shops")
        director.say("The former owner has no role there, and their open codes are destroyed")
        _ = try await owner.post("/v1/campaigns/\(cast.campaign)/codes", "{}", key: "code")
        _ = try await customer.get("/v1/codes/\(open.id)")
        director.say("Nobody hands a reward to themselves")
        _ = try await customer.post("/v1/cards/\(full)/redemption", key: "redeem")
    }

    private static let twoShops = UseCase(
        "two-shops", "Own two shops", needs: ["POST /v1/shops", "GET /v1/me/shops", "GET /v1/shops/{id}/statistics"]
    ) { director in
        let owner = director.recorded(try await director.visitor.signedIn("+8613800138001", name: "owner"))
        let first = try await owner.post("/v1/shops", Cast.shopBody, key: "first").string("id")
        director.say("The second is elsewhere, and open until after midnight on Fridays and Saturdays")
        let body = """
            {"name":"Tea by Night","phone":"+81312345678","address":"1-2-3 Shibuya","location":{"latitude":35.658,"longitude":139.7016},\
            "timeZone":"Asia/Tokyo","openingHours":[{"days":["monday","tuesday","wednesday","thursday"],"from":"10:00","to":"22:00"},\
            {"days":["friday","saturday"],"from":"10:00","to":"02:00"}]}
            """
        let second = try await owner.post("/v1/shops", body, key: "second").string("id")
        _ = try await owner.get("/v1/me/shops")
        director.say("Apps that know one shop show the older one")
        _ = try await owner.get("/v1/me")
        director.say("Reports are in the time of their shop")
        _ = try await owner.get("/v1/shops/\(second)/statistics?from=2026-11-22&to=2026-11-22")
        director.say("The first closes, and the other one goes on")
        _ = try await owner.post("/v1/shops/\(first)/closing", key: "close")
        _ = try await owner.get("/v1/me")
    }
}
