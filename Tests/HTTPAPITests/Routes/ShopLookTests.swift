import Foundation
import HTTPTypes
import Testing

/// A shop's color and logo: who chooses them, what is accepted, and where they are shown.
@Suite("Looks of shops", .timeLimit(.minutes(15)))
struct ShopLookTests {
    private static let any: HTTPFields = [.ifMatch: "*"]

    private func look(_ cast: Cast, _ body: String, key: String? = nil) async throws -> Reply {
        try await cast.owner.patch("/v1/shops/\(cast.shop)", body, key: key, headers: Self.any)
    }

    @Test("A chosen color and logo are shown by the shop, its campaigns, cards in lists and the pages of its people")
    func shown() async throws {
        try await onStage { _, visitor in
            let cast = try await Cast(visitor)
            let logo = try await cast.owner.picture()
            let chosen = try await look(cast, #"{"color":"teal","logo":"\#(logo)"}"#)
            #expect(chosen.status == 200, "\(chosen.text)")
            #expect(try chosen.string("color") == "teal" && chosen.string("logo") == logo)
            _ = try await cast.stamp(try await cast.issue().code)
            let campaign = try await visitor.get("/v1/campaigns/\(cast.campaign)")
            #expect(try campaign.string("shop", "color") == "teal" && campaign.string("shop", "logo") == logo)
            let card = try await cast.customer.get("/v1/me/cards").json["items"]?[0]?["shop"]
            #expect(card?["color"] == .string("teal") && card?["logo"] == .string(logo))
            let mine = try await cast.owner.get("/v1/me/shops").json["items"]?[0]
            #expect(mine?["color"] == .string("teal") && mine?["logo"] == .string(logo))
            for page in ["/c/\(cast.campaign)", "/s/\(cast.shop)"] {
                #expect(try await visitor.get(page).text.contains("/v1/images/\(logo)?width=160"), "\(page)")
            }
            #expect(try await visitor.get("/c/\(cast.campaign)").text.contains("card tinted tint-teal"))
        }
    }

    @Test("An edit of something else keeps both, null removes each, and a repeated request gets the same answer")
    func edits() async throws {
        try await onStage { stage, visitor in
            let cast = try await Cast(visitor)
            let logo = try await cast.owner.picture()
            let first = try await look(cast, #"{"color":"teal","logo":"\#(logo)"}"#, key: "look")
            let head = stage.head
            #expect(try await look(cast, #"{"color":"teal","logo":"\#(logo)"}"#, key: "look").body == first.body)
            try await look(cast, #"{"color":"red","logo":"\#(logo)"}"#, key: "look").expectProblem("idempotencyKeyReused", 422)
            #expect(try await look(cast, #"{"color":"teal"}"#).status == 200)
            #expect(stage.head == head, "an edit that changes nothing is no event")
            #expect(try await look(cast, #"{"address":"2 Tea Road"}"#).string("color") == "teal")
            let bare = try await look(cast, #"{"color":null,"logo":null}"#)
            let shop = try bare.json
            #expect(bare.status == 200 && shop["color"] == nil && shop["logo"] == nil)
        }
    }

    @Test("An unknown color, a picture of somebody else and no picture at all are named, and only the owner chooses")
    func refused() async throws {
        try await onStage { _, visitor in
            let cast = try await Cast(visitor)
            for color in ["\"Teal\"", "\"#00ff00\"", "\"\"", "1", "[]"] {
                try await look(cast, #"{"color":\#(color)}"#).expectInvalid("/color")
            }
            let foreign = try await cast.customer.picture()
            for logo in ["\"img_1\"", "1", "{}", "\"\(foreign)\""] { try await look(cast, #"{"logo":\#(logo)}"#).expectInvalid("/logo") }
            let path = "/v1/shops/\(cast.shop)"
            try await cast.customer.patch(path, #"{"color":"red"}"#, headers: Self.any).expectProblem("forbidden", 403)
            let member = try await visitor.signedIn("+8613800138004")
            try await cast.hire(member, as: "manager")
            try await member.patch(path, #"{"color":"red"}"#, headers: Self.any).expectProblem("roleRequired", 403)
        }
    }

    @Test("A logo that is taken down is shown nowhere, and its removal from the images does not remove it")
    func takenDown() async throws {
        try await onStage { _, visitor in
            let cast = try await Cast(visitor)
            let logo = try await cast.owner.picture()
            #expect(try await look(cast, #"{"images":["\#(logo)"],"logo":"\#(logo)"}"#).status == 200)
            #expect(try await look(cast, #"{"images":[]}"#).string("logo") == logo)
            #expect(try await visitor.get("/v1/images/\(logo)").status == 200)
            #expect(try await cast.owner.delete("/v1/images/\(logo)").status == 204)
            #expect(try await visitor.get("/v1/images/\(logo)").status == 404)
            #expect(try await !visitor.get("/c/\(cast.campaign)").text.contains(logo))
        }
    }

    @Test("The erasure of the owner takes color and logo away")
    func erased() async throws {
        try await onStage { _, visitor in
            let cast = try await Cast(visitor)
            let logo = try await cast.owner.picture()
            _ = try await look(cast, #"{"color":"red","logo":"\#(logo)"}"#)
            #expect(try await cast.owner.delete("/v1/me").status == 204)
            let shop = try await visitor.get("/v1/shops/\(cast.shop)").json
            #expect(shop["color"] == nil && shop["logo"] == nil)
            #expect(try await visitor.get("/v1/images/\(logo)").status == 404)
        }
    }
}
