import Foundation
import HTTPTypes
import Synchronization
import Testing

/// A shop with one account for each role, and fresh resources that requests can name.
///
/// The customer of the cast holds the cards. Each request signs its caller in again, so that signing out or deleting an account does not
/// affect later requests.
struct Scene: Sendable {
    let cast: Cast
    let visitor: Visitor
    /// The account of a staff member.
    let staff: String

    init(_ visitor: Visitor) async throws {
        self.visitor = visitor
        cast = try await Cast(visitor)
        let other = try await visitor.signedIn(Role.other.phone!)
        _ = try await other.post("/v1/shops", Cast.shopBody)
        let member = try await visitor.signedIn(Role.staff.phone!)
        try await cast.hire(member)
        try await cast.hire(try await visitor.signedIn(Role.manager.phone!), as: "manager")
        staff = member.account
    }

    var shop: String { cast.shop }
    var campaign: String { cast.campaign }

    /// A visitor with this role and a session of its own.
    func somebody(_ role: Role) async throws -> Visitor {
        guard let phone = role.phone else { return visitor }
        return try await visitor.signedIn(phone)
    }

    /// A phone number that no account has.
    func phone() -> String { "+49\(Self.lastPhone.add(1, ordering: .relaxed).newValue)" }
    private static let lastPhone = Atomic<Int>(1_000_000_000)

    /// The body of an operator's request for a new phone number, one that no account has.
    func lostPhone() -> String { #"{"phone":"\#(phone())","reason":"Lost"}"# }

    /// Requests a code for this phone number and returns the code.
    func verification(of phone: String) async throws -> String {
        try await visitor.post("/v1/verifications", #"{"phone":"\#(phone)"}"#).string("devCode")
    }

    /// The ID of an open invitation from the shop to the customer.
    func invitation() async throws -> String {
        let (path, account) = ("/v1/me/invitations", cast.customer.account)
        if let open = try await cast.customer.get(path).json["items"]?[0]?["id"]?.string { return open }
        _ = try await cast.owner.delete("/v1/shops/\(shop)/staff/\(account)")
        _ = try await cast.owner.put("/v1/shops/\(shop)/staff/\(account)")
        return try #require(try await cast.customer.get(path).json["items"]?[0]?["id"]?.string)
    }

    func stampCode() async throws -> (id: String, code: String) { try await cast.issue() }

    /// Stamps the customer's card once and returns the card's ID.
    func card() async throws -> String { try await cast.stamp(try await cast.issue().code).string("card", "id") }

    /// The position of a stamp of the customer in the log.
    func position() async throws -> Int { try await cast.stamp(try await cast.issue().code).int("position") }

    func fullCard() async throws -> String {
        while true {
            let card = try await cast.stamp(try await cast.issue(stamps: 3).code)
            if try card.string("card", "status") == "full" { return try card.string("card", "id") }
        }
    }

    /// The code of a paper card that no account has taken.
    func paper() async throws -> String {
        let printed = try await cast.owner.post(
            "/v1/shops/\(shop)/paper-cards", #"{"campaign":"\#(campaign)","count":1}"#, key: UUID().uuidString,
            headers: [.accept: "application/json"])
        return try #require(try printed.json["cards"]?[0]?["code"]?.string)
    }

    /// The ID of a coupon campaign with unclaimed coupons only.
    func coupons() async throws -> String {
        try await cast.owner.post("/v1/shops/\(shop)/campaigns", Cast.couponBody()).string("id")
    }

    /// A redemption code for a full card of the customer.
    func redemption() async throws -> (id: String, code: String) { try await cast.redemption(of: try await fullCard()) }

    /// The ID of a completed redemption.
    func redeemed() async throws -> String {
        let (id, code) = try await redemption()
        _ = try await cast.redeem(code)
        return id
    }

    /// The ID of a picture that the shop shows.
    func picture() async throws -> String {
        let picture = try await cast.owner.picture()
        _ = try await cast.owner.patch("/v1/shops/\(shop)", #"{"images":[]}"#, headers: [.ifMatch: "*"])
        _ = try await cast.owner.patch("/v1/shops/\(shop)", #"{"images":["\#(picture)"]}"#, headers: [.ifMatch: "*"])
        return picture
    }

    /// The ID of a review by the customer.
    func review() async throws -> String {
        try await cast.customer.post("/v1/shops/\(shop)/reviews", #"{"rating":4,"text":"好喝"}"#).string("id")
    }

    /// The ID of a notice to all accounts.
    func notice() async throws -> String {
        try await somebody(.operator).post("/v1/notices", Self.notice).string("id")
    }

    /// The ID of an operator's scheduled notice, which has not appeared yet.
    func scheduledNotice() async throws -> String {
        let body = #"{"title":"Hello","text":"Everybody","audience":"all","publishAt":"2026-12-24T18:00:00.000Z"}"#
        return try await somebody(.operator).post("/v1/notices", body).string("id")
    }

    static let notice = #"{"title":"Hello","text":"Everybody","audience":"all"}"#
}
