import HTTPTypes
import Testing

@Suite("Codes, stamps and rewards of a shop", .timeLimit(.minutes(15)))
struct ShopActTests {
    private func ids(_ reply: Reply, _ name: String = "id") throws -> [String] {
        try #require(try reply.json["items"]?.items).compactMap { $0[name]?.string }
    }

    @Test("Codes are listed newest first, in pages, by status and by member; the codes themselves are not shown")
    func codes() async throws {
        try await onStage { stage, visitor in
            let cast = try await Cast(visitor)
            let clerk = try await visitor.signedIn("+8613800138004", name: "clerk")
            try await cast.hire(clerk)
            let (used, short, destroyed, open) = (
                try await cast.issue(), try await cast.issue(validFor: 5), try await cast.issue(), try await cast.issue()
            )
            _ = try await cast.stamp(used.code)
            _ = try await cast.owner.delete("/v1/codes/\(destroyed.id)")
            let his = try await clerk.post("/v1/campaigns/\(cast.campaign)/codes", "{}").string("id")
            stage.clock.advance(seconds: 10)
            let path = "/v1/shops/\(cast.shop)/codes"
            let all = try await cast.owner.get(path)
            #expect(try ids(all) == [his, open.id, destroyed.id, short.id, used.id])
            for code in [used.code, short.code, destroyed.code, open.code] { #expect(!all.text.contains(code)) }
            #expect(
                try all.json["items"]?[0]?.names == ["id", "campaign", "shop", "status", "stamps", "staff", "issuedAt", "expiresAt"])
            for (query, expected) in [
                ("status=open", [his, open.id]), ("status=used", [used.id]), ("status=destroyed", [destroyed.id]),
                ("status=expired", [short.id]), ("staff=\(clerk.account)", [his]), ("status=used&staff=\(clerk.account)", []),
            ] {
                #expect(try ids(try await cast.owner.get(path + "?" + query)) == expected, "\(query)")
            }
            let first = try await cast.owner.get(path + "?status=open&limit=1")
            let cursor = try first.string("next")
            #expect(try ids(first) == [his])
            #expect(try ids(try await cast.owner.get(path + "?status=open&limit=1&cursor=\(cursor)")) == [open.id])
            try await cast.owner.get(path + "?limit=1&cursor=\(cursor)").expectInvalid("/cursor")
            try await cast.owner.get(path + "?status=lost").expectInvalid("/status")
            try await clerk.get(path).expectProblem("roleRequired", 403)
        }
    }

    @Test("The list of stamps marks those of a card whose reward was handed out")
    func spent() async throws {
        try await onStage { _, visitor in
            let cast = try await Cast(visitor)
            let stamped = try await cast.stamp(try await cast.issue(stamps: 3).code)
            func isRedeemed() async throws -> JSONValue? {
                try await cast.owner.get("/v1/shops/\(cast.shop)/stamps").json["items"]?[0]?["isRedeemed"]
            }
            #expect(try await isRedeemed() == .bool(false))
            let (redemption, code) = try await cast.redemption(of: try stamped.string("card", "id"))
            _ = try await cast.redeem(code)
            #expect(try await isRedeemed() == .bool(true))
            let reversal = #"{"reason":"The wrong card"}"#
            #expect(try await cast.owner.post("/v1/redemptions/\(redemption)/reversal", reversal, key: "back").status == 200)
            #expect(try await isRedeemed() == .bool(false))
        }
    }

    @Test("All open codes of one member are destroyed, even if they are more than one step destroys")
    func destroy() async throws {
        try await onStage { stage, visitor in
            let cast = try await Cast(visitor)
            let clerk = try await visitor.signedIn("+8613800138004", name: "clerk")
            try await cast.hire(clerk)
            var codes: [String] = []
            for _ in 0..<3 {
                let strip = try await clerk.post("/v1/campaigns/\(cast.campaign)/codes", #"{"count":100}"#)
                codes += try #require(try strip.json["items"]?.items).compactMap { $0["code"]?.string }
            }
            let mine = try await cast.issue()
            let path = "/v1/shops/\(cast.shop)/codes?staff=\(clerk.account)"
            let head = stage.head
            #expect(try await cast.owner.delete(path, key: "k").status == 204)
            #expect(stage.head == head + 300)
            #expect(try await cast.owner.delete(path, key: "k").status == 204)
            #expect(try await cast.owner.delete(path).status == 204)
            #expect(stage.head == head + 300)
            for code in [codes[0], codes[150], codes[299]] { try await cast.stamp(code).expectProblem("codeNotValid", 422) }
            #expect(try await cast.stamp(mine.code).status == 201)
            try await cast.owner.delete("/v1/shops/\(cast.shop)/codes").expectInvalid("/staff")
            try await clerk.delete("/v1/shops/\(cast.shop)/codes?staff=\(cast.owner.account)").expectProblem("roleRequired", 403)
        }
    }

    @Test("A strip has 1 to 100 codes, each different and each good once; a retry shows the same strip")
    func strip() async throws {
        try await onStage { stage, visitor in
            let cast = try await Cast(visitor, goal: 50)
            let path = "/v1/campaigns/\(cast.campaign)/codes"
            let strip = try await cast.owner.post(path, #"{"count":100,"validFor":60}"#, key: "k")
            #expect(strip.status == 201, "\(strip.text)")
            #expect(strip.headers[.cacheControl] == "no-store")
            let codes = try ids(strip, "code")
            #expect(Set(codes).count == 100)
            #expect(try strip.json["items"]?[99]?.names == ["id", "code", "payload", "qrSvg", "expiresAt"])
            #expect(try await cast.owner.post(path, #"{"count":100,"validFor":60}"#, key: "k").body == strip.body)
            try await cast.owner.post(path, #"{"count":99,"validFor":60}"#, key: "k").expectProblem("idempotencyKeyReused", 422)
            for code in [codes[0], codes[99]] { #expect(try await cast.stamp(code).status == 201) }
            try await cast.stamp(codes[0]).expectProblem("codeNotValid", 422)
            let head = stage.head
            for count in ["0", "101", "-1", "1.5", "\"2\"", "1e30"] {
                try await cast.owner.post(path, #"{"count":\#(count)}"#).expectInvalid("/count")
            }
            #expect(stage.head == head)
            #expect(try ids(try await cast.owner.post(path, #"{"count":1}"#)).count == 1)
        }
    }

    @Test("A member issues a bounded number of strips in ten minutes, and others none at all")
    func boundedStrips() async throws {
        try await onStage { stage, visitor in
            let cast = try await Cast(visitor)
            let path = "/v1/campaigns/\(cast.campaign)/codes"
            try await cast.customer.post(path, #"{"count":100}"#).expectProblem("forbidden", 403)
            for number in 0..<60 { #expect(try await cast.owner.post(path, #"{"count":1}"#, key: "\(number)").status == 201) }
            let head = stage.head
            try await cast.owner.post(path, #"{"count":1}"#, key: "more").expectProblem("rateLimited", 429)
            #expect(try await cast.owner.post(path, #"{"count":1}"#, key: "7").status == 201)
            #expect(stage.head == head)
            #expect(try await cast.owner.post(path).status == 201)
        }
    }

    @Test("A key that was used for something else destroys nothing")
    func reusedKey() async throws {
        try await onStage { stage, visitor in
            let cast = try await Cast(visitor)
            for _ in 0..<3 { _ = try await cast.owner.post("/v1/campaigns/\(cast.campaign)/codes", #"{"count":100}"#) }
            _ = try await cast.owner.post("/v1/campaigns/\(cast.campaign)/codes", key: "k")
            let head = stage.head
            try await cast.owner.delete("/v1/shops/\(cast.shop)/codes?staff=\(cast.owner.account)", key: "k")
                .expectProblem("idempotencyKeyReused", 422)
            #expect(stage.head == head)
        }
    }

    @Test("Stamps and rewards of some days are listed, newest first, with those that were taken back")
    func stampsAndRewards() async throws {
        try await onStage { stage, visitor in
            let cast = try await Cast(visitor)
            let first = try await cast.stamp(try await cast.issue(stamps: 3).code)
            let redemption = try await cast.redemption(of: try first.string("card", "id"))
            _ = try await cast.redeem(redemption.code)
            stage.clock.advance(seconds: 86_400)
            let (owner, customer) = (
                try await visitor.signedIn("+8613800138001", name: "owner"), try await visitor.signedIn("+8613800138002", name: "customer")
            )
            let code = try await owner.post("/v1/campaigns/\(cast.campaign)/codes", #"{"stamps":4}"#).string("code")
            let second = try await cast.stamp(code, as: customer)
            _ = try await owner.post("/v1/stamps/\(try second.int("position"))/reversal", #"{"reason":"Refunded"}"#)
            let path = "/v1/shops/\(cast.shop)/stamps"
            let all = try #require(try await owner.get(path).json["items"]?.items)
            #expect(all.map { $0["stamps"]?.int } == [1, 3, 3])
            #expect(all.map { $0["status"]?.string } == ["reversed", "reversed", "given"])
            #expect(all.allSatisfy { $0["staff"]?.string == cast.owner.account })
            for (query, count) in [
                ("from=2026-11-22", 2), ("to=2026-11-21", 1), ("from=2026-11-21&to=2026-11-22", 3), ("from=2026-11-23", 0),
                ("from=2026-11-21&to=2026-11-21&timeZone=America/Los_Angeles", 1),
            ] {
                #expect(try await owner.get(path + "?" + query).json["items"]?.items?.count == count, "\(query)")
            }
            for (query, field) in [
                ("from=x", "/from"), ("to=2026-02-30", "/to"), ("from=2026-11-22&to=2026-11-21", "/to"),
                ("timeZone=Mars/Phobos", "/timeZone"),
            ] {
                try await owner.get(path + "?" + query).expectInvalid(field)
            }
            try await customer.get(path).expectProblem("forbidden", 403)
            let rewards = try await owner.get("/v1/shops/\(cast.shop)/redemptions")
            #expect(try ids(rewards) == [redemption.id])
            #expect(try ids(rewards, "status") == ["redeemed"])
            _ = try await owner.post("/v1/redemptions/\(redemption.id)/reversal", #"{"reason":"x"}"#)
            #expect(try await owner.get("/v1/shops/\(cast.shop)/redemptions?from=2026-11-22").json["items"]?.items?.isEmpty == true)
        }
    }

    @Test("A page of a list reads a bounded number of events, and the next page continues after them")
    func boundedPages() async throws {
        try await onStage { _, visitor in
            let cast = try await Cast(visitor)
            let oldest = try await cast.issue(validFor: 3)
            for _ in 0..<52 { _ = try await cast.owner.post("/v1/campaigns/\(cast.campaign)/codes", #"{"count":100}"#) }
            let nobody = try await visitor.signedIn("+8613800138009", name: "nobody")
            let path = "/v1/shops/\(cast.shop)/codes?staff=\(nobody.account)"
            var (after, pages): (String?, Int) = (nil, 0)
            repeat {
                let page = try await cast.owner.get(path + (after.map { "&cursor=\($0)" } ?? ""))
                #expect(try ids(page).isEmpty)
                (after, pages) = (try page.json["next"]?.string, pages + 1)
            } while after != nil && pages < 20
            #expect(pages == 11)
            // The oldest code lies beyond the number of events that one page may read.
            var (cursor, seen): (String?, [String]) = (nil, [])
            repeat {
                let page = try await cast.owner.get("/v1/shops/\(cast.shop)/codes?limit=100" + (cursor.map { "&cursor=\($0)" } ?? ""))
                seen += try ids(page)
                cursor = try page.json["next"]?.string
            } while cursor != nil && seen.count < 6_000
            #expect(seen.count == 5_201 && Set(seen).count == 5_201 && seen.last == oldest.id)
        }
    }
}
