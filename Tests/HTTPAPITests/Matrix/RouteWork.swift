import CommandService
import Composition
import Foundation
import HTTPTypes
import Loyalty
import LoyaltyCodec
import Testing

@testable import HTTPAPI

/// The routes whose rows grow with the shop, requests for the pages, and a shop of any size.
enum RouteWork {
    /// The routes that look at more rows of a larger shop. All rows are charged, and the pages of lists are bounded.
    static let growing: Set<String> = [
        "DELETE /v1/images/{id}", "DELETE /v1/me", "DELETE /v1/shops/{id}/codes", "GET /c/{id}", "GET /s/{id}",
        "GET /shop/{id}/numbers/branches", "GET /shop/{id}/numbers/customers", "GET /shop/{id}/numbers/days",
        "GET /shop/{id}/numbers/what-if", "GET /shop/{id}/numbers/what-if/{number}", "GET /shop/{id}/numbers/what-if/{number}/chart",
        "GET /shop/{id}/numbers/what-if/{number}/state", "GET /v1/admin/feedback", "GET /v1/campaigns", "GET /v1/campaigns/{id}",
        "GET /v1/codes/{id}", "GET /v1/erasures/{position}/receipt", "GET /v1/me", "GET /v1/me/cards", "GET /v1/me/changes",
        "GET /v1/me/export", "GET /v1/me/favorites", "GET /v1/me/invitations", "GET /v1/me/notices",
        "GET /v1/me/paper-cards/{code}", "GET /v1/me/shops",
        "GET /v1/me/statistics", "GET /v1/redemptions/{id}", "GET /v1/shops", "GET /v1/shops/{id}", "GET /v1/shops/{id}/analytics",
        "GET /v1/shops/{id}/activity", "GET /v1/shops/{id}/codes", "GET /v1/shops/{id}/customers", "GET /v1/shops/{id}/digest",
        "GET /v1/shops/{id}/invitations", "GET /v1/shops/{id}/redemptions", "GET /v1/shops/{id}/reviews", "GET /v1/shops/{id}/staff",
        "GET /v1/shops/{id}/stamps", "GET /v1/shops/{id}/statistics", "GET /v1/stamps/{position}/receipt", "PATCH /v1/campaigns/{id}",
        "PATCH /v1/me", "PATCH /v1/shops/{id}", "PATCH /v1/shops/{id}/staff/{account}", "POST /v1/admin/shops/{id}/suspension",
        "POST /v1/campaigns/{id}/end", "POST /v1/campaigns/{id}/reopening", "POST /v1/campaigns/{id}/stamps", "POST /v1/redemptions",
        "POST /v1/redemptions/preview", "POST /v1/reviews/{id}/replies", "POST /v1/shops", "POST /v1/shops/{id}/campaigns",
        "POST /v1/shops/{id}/closing", "POST /v1/shops/{id}/invitations", "POST /v1/shops/{id}/reviews", "PUT /v1/me/phone",
    ]

    /// Routes that no test here measures: forms, whose work is that of the operation or job that they begin.
    static let unmeasured: Set<String> = [
        "POST /language", "POST /scan", "POST /shop/{id}/numbers/what-if", "POST /shop/{id}/numbers/what-if/{number}/stop",
    ]

    /// The writes of the matrix.
    static let writes = Matrix.rows.filter { $0.method != .get && !NotBuilt.operations.contains($0.name) }

    /// The route of a row of the matrix.
    static func route(_ name: String) -> String { name.replacing("/tile/{path}", with: "/tile/**") }

    /// A path for the template of a page, with the ids of a scene.
    static func path(_ template: String, _ scene: Scene, card: String) -> String {
        let id = template.hasPrefix("/c/") ? scene.campaign : template.hasPrefix("/wallet/") ? card : scene.shop
        return ["{number}", "{name}", "**"].reduce(template.replacing("{id}", with: id)) { $0.replacing($1, with: "1") }
    }

    /// Makes a shop and its customers larger: codes, stamps, cards, campaigns, reviews, replies, favourites, notices, offers and papers.
    static func grow(_ scene: Scene, _ size: Int, on stage: Stage) async throws {
        let (cast, visitor) = (scene.cast, scene.visitor)
        let strip = try await cast.owner.post("/v1/campaigns/\(cast.campaign)/codes", #"{"count":\#(2 * size)}"#)
        let texts = try #require(try strip.json["items"]?.items).map { try #require($0["code"]?.string) }
        for text in texts.prefix(size) { #expect(try await cast.stamp(text).status == 201) }
        for (number, text) in texts.dropFirst(size).enumerated() {
            let guest = try await visitor.signedIn(scene.phone())
            #expect(try await cast.stamp(text, as: guest).status == 201)
            #expect(try await guest.put("/v1/campaigns/\(cast.campaign)/favorite").status == 204)
            let review = try await guest.post("/v1/shops/\(cast.shop)/reviews", #"{"rating":4}"#).string("id")
            #expect(try await cast.owner.post("/v1/reviews/\(review)/replies", #"{"text":"Thank you"}"#).status == 201)
            let body = Cast.campaignBody(title: "No. \(number)")
            let campaign = try await cast.owner.post("/v1/shops/\(cast.shop)/campaigns", body).string("id")
            #expect(try await cast.customer.put("/v1/campaigns/\(campaign)/favorite").status == 204)
            let offer = #"{"phone":"\#(scene.phone())"}"#
            #expect(try await cast.owner.post("/v1/shops/\(cast.shop)/invitations", offer).status == 202)
        }
        // Over HTTP, an owner may post only ten notices in ten minutes.
        let (shop, owner) = (try #require(ShopID(text: cast.shop)), try #require(AccountID(text: cast.owner.account)))
        for _ in 0..<size {
            _ = try await stage.service.postNotice(title: "Hello", text: "Today", to: .shop(shop), by: Caller(account: owner))
        }
        let print = try await cast.owner.post(
            "/v1/shops/\(cast.shop)/paper-cards", #"{"campaign":"\#(cast.campaign)","count":\#(size)}"#, key: UUID().uuidString,
            headers: [.accept: "application/json"])
        #expect(print.status == 201)
        _ = try await scene.redeemed()
    }
}
