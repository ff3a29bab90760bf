import Composition
import Foundation
import Loyalty
import LoyaltyCodec
import Testing

/// The names under which a shop's people see one another.
@Suite("Names of staff", .timeLimit(.minutes(15)))
struct StaffLabelTests {
    private static let clerkPhone = "+8613800138004"

    private func name(
        _ member: Visitor, _ label: String?, _ cast: Cast, by actor: Visitor? = nil, key: String? = nil
    ) async throws -> Reply {
        let value = label.map { "\"\($0)\"" } ?? "null"
        return try await (actor ?? cast.owner).patch("/v1/shops/\(cast.shop)/staff/\(member.account)", #"{"label":\#(value)}"#, key: key)
    }

    private func hired(_ visitor: Visitor, _ cast: Cast, as role: String = "counter") async throws -> Visitor {
        let clerk = try await visitor.signedIn(Self.clerkPhone, name: "clerk")
        try await cast.hire(clerk, as: role)
        return clerk
    }

    /// The names that a list shows of an account, as an owner or member reads it.
    private func labels(_ path: String, _ reader: Visitor, _ account: String, _ field: String = "staff") async throws -> [String?] {
        let items = try #require(try await reader.get(path).json["items"]?.items)
        return items.filter { $0[field]?.string == account }.map { $0["label"]?.string }
    }

    @Test("The team sees the name in its lists, the member among their shops, and nobody else anywhere")
    func shown() async throws {
        try await onStage { stage, visitor in
            let cast = try await Cast(visitor)
            let clerk = try await hired(visitor, cast)
            #expect(try await name(clerk, "阿美 🍵", cast).status == 204)
            let shop = "/v1/shops/\(cast.shop)"
            #expect(try await labels("\(shop)/staff", cast.owner, clerk.account, "account") == ["阿美 🍵"])
            #expect(try await clerk.get("/v1/me/shops").json["items"]?[0]?["label"] == .string("阿美 🍵"))
            let code = try await clerk.post("/v1/campaigns/\(cast.campaign)/codes", "{}").string("code")
            _ = try await cast.stamp(code)
            #expect(try await labels("\(shop)/codes", cast.owner, clerk.account) == ["阿美 🍵"])
            #expect(try await labels("\(shop)/stamps", clerk, clerk.account) == ["阿美 🍵"])
            let figures = try await cast.owner.get("\(shop)/statistics").json["staff"]?.items ?? []
            #expect(figures.first { $0["account"]?.string == clerk.account }?["label"] == .string("阿美 🍵"))
            _ = try await clerk.post("\(shop)/reviews", #"{"rating":5,"text":"Mine"}"#)
            for path in [shop, "\(shop)/reviews", "/s/\(cast.shop)", "/v1/campaigns/\(cast.campaign)"] {
                #expect(try await !visitor.get(path).text.contains("阿美"), "\(path)")
            }
            #expect(try await !cast.customer.get("/v1/me/export").text.contains("阿美"))
        }
    }

    @Test("An empty name or null takes the name away, and a repetition adds nothing")
    func removed() async throws {
        try await onStage { stage, visitor in
            let cast = try await Cast(visitor)
            let clerk = try await hired(visitor, cast)
            #expect(try await name(clerk, "Mei", cast, key: "name").status == 204)
            let head = stage.head
            #expect(try await name(clerk, "Mei", cast, key: "name").status == 204)
            try await name(clerk, "Lin", cast, key: "name").expectProblem("idempotencyKeyReused", 422)
            #expect(try await name(clerk, " Mei ", cast).status == 204)
            #expect(stage.head == head)
            for label in ["", nil] {
                _ = try await name(clerk, "Mei", cast)
                #expect(try await name(clerk, label, cast).status == 204)
                #expect(try await labels("/v1/shops/\(cast.shop)/staff", cast.owner, clerk.account, "account") == [nil])
            }
            let bare = stage.head
            #expect(try await name(clerk, nil, cast).status == 204)
            #expect(stage.head == bare)
        }
    }

    @Test("Hostile texts and missing fields are refused, and strangers cannot be named")
    func refused() async throws {
        try await onStage { _, visitor in
            let cast = try await Cast(visitor)
            let clerk = try await hired(visitor, cast)
            for text in ["M\\u202eie", "Mei\\nLin", "\\u0000", "?!", String(repeating: "茶", count: 51)] {
                try await name(clerk, text, cast).expectInvalid("/label")
            }
            let path = "/v1/shops/\(cast.shop)/staff/\(clerk.account)"
            for (body, pointer) in [("{}", "/label"), (#"{"label":7}"#, "/label"), ("[]", "")] {
                let reply = try await cast.owner.patch(path, body)
                try reply.expectInvalid(pointer)
                #expect(try reply.json["errors"]?.items?.count == 1, "\(reply.text)")
            }
            try await name(cast.customer, "Mei", cast).expectProblem("notFound", 404)
            try await name(clerk, "Mei", cast, by: clerk).expectProblem("roleRequired", 403)
            try await name(clerk, "Mei", cast, by: cast.customer).expectProblem("forbidden", 403)
            #expect(try await name(clerk, "<b>&amp; 'x'", cast).status == 204)
        }
    }

    @Test("A member's export has the present name of each shop, also after leaving it, and an owner's has the owner's own name alone")
    func exported() async throws {
        try await onStage { stage, visitor in
            let cast = try await Cast(visitor)
            let clerk = try await hired(visitor, cast)
            func names(_ reader: Visitor) async throws -> [String?] {
                let items = try #require(try await reader.get("/v1/me/export").json["staffNames"]?.items)
                return items.map { $0["shop"]?.string == cast.shop && $0["namedAt"] != nil ? $0["label"]?.string : nil }
            }
            #expect(try await names(clerk).isEmpty)
            for label in ["Mei", "阿美"] { _ = try await name(clerk, label, cast) }
            _ = try await name(cast.owner, "Boss", cast)
            #expect(try await names(clerk) == ["阿美"])
            #expect(try await clerk.delete("/v1/me/employments/\(cast.shop)").status == 204)
            #expect(try await names(clerk) == ["阿美"])
            #expect(try await names(cast.owner) == ["Boss"])
            #expect(try await name(clerk, nil, cast).status == 204)
            #expect(try await names(clerk).isEmpty)
        }
    }

    @Test("A former member keeps the name in lists of earlier acts, until the member or the owner is erased", arguments: [true, false])
    func former(_ isMember: Bool) async throws {
        try await onStage { stage, visitor in
            let cast = try await Cast(visitor)
            let clerk = try await hired(visitor, cast)
            _ = try await name(clerk, "Mei", cast)
            _ = try await cast.stamp(try await clerk.post("/v1/campaigns/\(cast.campaign)/codes", "{}").string("code"))
            let manager = try await visitor.signedIn("+8613800138005")
            try await cast.hire(manager, as: "manager")
            #expect(try await clerk.delete("/v1/me/employments/\(cast.shop)").status == 204)
            let stamps = "/v1/shops/\(cast.shop)/stamps"
            #expect(try await labels(stamps, manager, clerk.account) == ["Mei"])
            try await name(clerk, "Lin", cast).expectProblem("notFound", 404)
            #expect(try await (isMember ? clerk : cast.owner).delete("/v1/me").status == 204)
            if isMember { #expect(try await labels(stamps, manager, clerk.account) == [nil]) }
            let (shop, account) = (try #require(ShopID(text: cast.shop)), try #require(AccountID(text: clerk.account)))
            #expect(try stage.service.label(of: account, at: shop) == nil)
        }
    }
}
