import Foundation
import Testing

/// An owner with a shop and a running campaign, and a customer.
struct Cast: Sendable {
    static let shopBody = """
        {"name":"好喝奶茶店","phone":"+861012345678","address":"南京东路 1 号","location":{"latitude":31.2304,"longitude":121.4737}}
        """

    let owner: Visitor
    let customer: Visitor
    let shop: String
    let campaign: String

    init(_ visitor: Visitor, goal: Int = 3) async throws {
        owner = try await visitor.signedIn("+8613800138001", name: "owner")
        customer = try await visitor.signedIn("+8613800138002", name: "customer")
        shop = try await owner.post("/v1/shops", Self.shopBody).string("id")
        campaign = try await owner.post("/v1/shops/\(shop)/campaigns", Self.campaignBody(goal: goal)).string("id")
    }

    static func campaignBody(goal: Int = 3, title: String = "Ten cups, the eleventh is free") -> String {
        """
        {"kind":"stampCard","title":"\(title)","details":"Any drink counts.","goal":\(goal),"reward":"One free drink",\
        "startsAt":"2026-11-01T00:00:00Z","endsAt":"2027-11-01T00:00:00Z"}
        """
    }

    /// The body of a request for a coupon campaign. `more` is appended after its fields, with a comma before it.
    static func couponBody(_ more: String = "") -> String {
        """
        {"kind":"coupon","title":"Welcome","details":"One each.","reward":"One small tea","startsAt":"2026-11-01T00:00:00Z",\
        "endsAt":"2027-11-01T00:00:00Z"\(more)}
        """
    }

    /// Makes a visitor staff of the shop: the owner invites, and the visitor accepts.
    func hire(_ member: Visitor, as role: String = "counter") async throws {
        let offered = try await owner.put("/v1/shops/\(shop)/staff/\(member.account)", #"{"role":"\#(role)"}"#)
        #expect(offered.status == 202, "\(offered.text)")
        let offer = try #require(try await member.get("/v1/me/invitations").json["items"]?[0]?["id"]?.string)
        #expect(try await member.post("/v1/me/invitations/\(offer)/acceptance").status == 204)
    }

    /// Issues a new stamp code of the campaign.
    func issue(stamps: Int = 1, validFor: Int = 600) async throws -> (id: String, code: String) {
        let reply = try await owner.post("/v1/campaigns/\(campaign)/codes", #"{"stamps":\#(stamps),"validFor":\#(validFor)}"#)
        #expect(reply.status == 201, "\(reply.text)")
        return (try reply.string("id"), try reply.string("code"))
    }

    func stamp(_ code: String, as visitor: Visitor? = nil, key: String = UUID().uuidString) async throws -> Reply {
        try await (visitor ?? customer).post("/v1/stamps", #"{"code":"\#(code)"}"#, key: key)
    }

    /// Fills a card of the customer and returns its ID.
    func fullCard(stamps: Int = 3) async throws -> String {
        let reply = try await stamp(try await issue(stamps: stamps).code)
        #expect(try reply.string("card", "status") == "full")
        return try reply.string("card", "id")
    }

    /// Requests a redemption code for a full card.
    func redemption(of card: String) async throws -> (id: String, code: String) {
        let reply = try await customer.post("/v1/cards/\(card)/redemption")
        #expect(reply.status == 201, "\(reply.text)")
        return (try reply.string("id"), try reply.string("code"))
    }

    func redeem(_ code: String, key: String = UUID().uuidString) async throws -> Reply {
        try await owner.post("/v1/redemptions", #"{"code":"\#(code)"}"#, key: key)
    }
}
