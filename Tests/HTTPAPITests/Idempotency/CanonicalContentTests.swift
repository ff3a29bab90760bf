import Composition
import EventLog
import Foundation
import HTTPTypes
import LoyaltyCodec
import Testing

/// Holds the canonical content of every write to `Fixtures/canonical.txt`, because logs keep a hash of it: a retry of a request that an
/// earlier release accepted must be recognised. `GREENTEA_RECORD=1` records the file again; only new lines may come of it.
///
/// A line is a request and the digest that the log keeps of the sender, the idempotency key and the content; `none` if it changes
/// nothing. The service runs with the same numbers in place of random ones, so that ids repeat.
@Suite("Canonical content", .timeLimit(.minutes(15)))
struct CanonicalContentTests {
    private static let fixture = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../../../Fixtures/canonical.txt")

    @Test("The log keeps the same digest of every write as earlier releases kept")
    func everyWrite() async throws {
        let digests = try await withThrowingTaskGroup(of: (String, String).self) { group in
            for write in Self.writes { group.addTask { (write.name, try await Self.digest(of: write)) } }
            return try await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
        }
        let lines = Self.writes.map { $0.name + " " + (digests[$0.name] ?? "") }
        let text = lines.joined(separator: "\n") + "\n"
        if ProcessInfo.processInfo.environment["GREENTEA_RECORD"] == "1" { try Data(text.utf8).write(to: Self.fixture) }
        let recorded = String(decoding: try Data(contentsOf: Self.fixture), as: UTF8.self)
        for (now, then) in zip(lines, recorded.split(separator: "\n")) { #expect(now == then) }
        #expect(lines.count == recorded.split(separator: "\n").count)
    }

    /// The digest that the log keeps of a request to a service of its own.
    private static func digest(of write: Row) async throws -> String {
        try await Places.take {
            let stage = try Stage(randomness: TestRandomness(seed: 1))
            defer { stage.strike() }
            return try await stage.perform { stage, visitor in
                let scene = try await Scene(visitor)
                let role = try #require(write.statuses.keys.sorted { $0.rawValue < $1.rawValue }.first { write.statuses[$0]! / 100 == 2 })
                let somebody = try await scene.somebody(role)
                let ask = try await write.ask(scene)
                var headers = ask.headers
                headers[.idempotencyKey] = "key"
                let before = stage.head
                // The phone numbers of scenes depend on the tests that ran before. Changes of an account's number leave it out.
                let isNumberLeftOut = ask.path.hasSuffix("/phone")
                let body = isNumberLeftOut ? ask.body : ask.body?.replacing(/\+49\d+/, with: "+4930123456")
                let reply = try await somebody.send(write.method, ask.path, body, headers: headers)
                #expect((200..<300).contains(reply.status), "\(write.name): \(reply.text)")
                let digests = try (before..<stage.head).compactMap { position in
                    try stage.service.log.withRecord(at: Position(position + 1)) { LoyaltyCodec.mark(of: $0) }??.digest
                }
                return digests.last.map { String($0, radix: 16) } ?? "none"
            }
        }
    }

    /// The writes of the matrix whose marks are kept in memory, and those without a mark.
    private static let unlogged = [
        "POST /v1/verifications", "POST /v1/sessions", "POST /v1/sessions/refresh", "POST /v1/redemptions/preview",
        "POST /v1/admin/accounts/search",
    ]

    private static let writes =
        Matrix.rows.filter { row in
            !row.name.hasPrefix("GET ") && !unlogged.contains(row.name) && row.statuses.values.contains { $0 / 100 == 2 }
        } + more

    private static let owner: [Int?] = [nil, nil, nil, nil, 200, nil]
    private static let customer: [Int?] = [nil, 200, nil, nil, nil, nil]
    private static let operators: [Int?] = [nil, nil, nil, nil, nil, 200]

    private static let shopBody =
        String(Cast.shopBody.dropLast()) + #","timeZone":"Asia/Shanghai","openingHours":[{"days":["monday"],"from":"09:00","to":"18:00"}]}"#
    private static let terms =
        #""stampsPerDayMax":4,"minimumGapSeconds":60,"repeats":2,"welcomeStamps":1,"redeemUntil":"2027-12-01T00:00:00Z","#
        + #""cardValidDays":90,"milestones":[{"at":2,"reward":"A cookie"}]}"#

    /// Writes with fields that the requests of the matrix leave out, and those that need another write before they change anything.
    private static let more: [Row] = [
        Row("POST /v1/shops with hours", customer) { _ in .init("/v1/shops", shopBody) },
        Row("PATCH /v1/shops/{id} with everything", owner) {
            .init("/v1/shops/\($0.shop)", shopBody.replacing("好喝", with: "茶"), headers: [.ifMatch: "*"])
        },
        Row("PATCH /v1/shops/{id} with looks", owner) {
            let logo = try await $0.cast.owner.picture()
            return .init("/v1/shops/\($0.shop)", #"{"color":"teal","logo":"\#(logo)"}"#, headers: [.ifMatch: "*"])
        },
        Row("POST /v1/shops/{id}/closing with a reason", owner) {
            .init("/v1/shops/\($0.shop)/closing", #"{"redeemUntil":"2026-12-24T18:00:00Z","reason":"Moved"}"#)
        },
        Row("POST /v1/shops/{id}/campaigns with terms", owner) {
            .init("/v1/shops/\($0.shop)/campaigns", String(Cast.campaignBody().dropLast()) + "," + terms)
        },
        Row("PATCH /v1/campaigns/{id} with terms", owner) {
            let body = #"{"title":"Two","details":"Tea","goal":4,"reward":"Tea","# + terms
            return .init("/v1/campaigns/\($0.campaign)", body, headers: [.ifMatch: "*"])
        },
        Row("POST /v1/shops/{id}/invitations with a role", owner) {
            .init("/v1/shops/\($0.shop)/invitations", #"{"phone":"030 123456","region":"DE","role":"manager"}"#)
        },
        Row("PUT /v1/shops/{id}/staff/{account} with a role", owner) {
            .init("/v1/shops/\($0.shop)/staff/\($0.cast.customer.account)", #"{"role":"manager"}"#)
        },
        Row("POST /v1/shops/{id}/transfer with a region", owner) {
            .init("/v1/shops/\($0.shop)/transfer", #"{"phone":"030 123456","region":"DE"}"#)
        },
        Row("DELETE /v1/shops/{id}/transfer of an offer", owner) {
            _ = try await $0.cast.owner.post("/v1/shops/\($0.shop)/transfer", #"{"phone":"+8613800138003"}"#)
            return .init("/v1/shops/\($0.shop)/transfer")
        },
        Row("DELETE /v1/shops/{id}/codes of a code", owner) {
            _ = try await $0.cast.issue()
            return .init("/v1/shops/\($0.shop)/codes?staff=\($0.cast.owner.account)")
        },
        Row("POST /v1/campaigns/{id}/codes of a strip", owner) {
            .init("/v1/campaigns/\($0.campaign)/codes", #"{"count":3,"stamps":2,"validFor":300,"shop":"\#($0.shop)"}"#)
        },
        Row("POST /v1/campaigns/{id}/stamps by badge", owner) {
            let badge = try await $0.cast.customer.get("/v1/me/badge").string("code")
            return .init("/v1/campaigns/\($0.campaign)/stamps", #"{"badge":"\#(badge)","stamps":2,"shop":"\#($0.shop)"}"#)
        },
        Row("POST /v1/campaigns/{id}/stamps onto paper", owner) {
            .init("/v1/campaigns/\($0.campaign)/stamps", #"{"paper":"\#(try await $0.paper())"}"#)
        },
        Row("POST /v1/stamps of a campaign", customer) {
            .init("/v1/stamps", #"{"code":"\#(try await $0.stampCode().code)","campaign":"\#($0.campaign)"}"#)
        },
        Row("POST /v1/redemptions at a shop", owner) {
            .init("/v1/redemptions", #"{"code":"\#(try await $0.redemption().code)","shop":"\#($0.shop)"}"#)
        },
        Row("POST /v1/cards/{id}/redemption of a milestone", customer) {
            let body = String(Cast.campaignBody().dropLast()) + "," + terms
            let campaign = try await $0.cast.owner.post("/v1/shops/\($0.shop)/campaigns", body).string("id")
            let code = try await $0.cast.owner.post("/v1/campaigns/\(campaign)/codes", "{}").string("code")
            return .init("/v1/cards/\(try await $0.cast.stamp(code).string("card", "id"))/redemption", #"{"milestone":2}"#)
        },
        Row("POST /v1/shops/{id}/reviews with a text", customer) { .init("/v1/shops/\($0.shop)/reviews", #"{"rating":4,"text":"好喝"}"#) },
        Row("POST /v1/notices to holders", owner) {
            let text = #""title":"Hello","text":"Tea","audience":"holders","publishAt":"2026-12-24T18:00:00.000Z""#
            return .init("/v1/notices", #"{\#(text),"campaign":"\#($0.campaign)"}"#)
        },
        Row("POST /v1/notices to a shop", owner) { _ in .init("/v1/notices", #"{"title":"Hello","text":"Tea","audience":"shop"}"#) },
        Row("PATCH /v1/me with everything", customer) { _ in
            .init("/v1/me", #"{"nickname":"小绿","avatar":null,"gender":"other","birthday":"1990-01-31","city":"上海"}"#)
        },
        Row("DELETE /v1/campaigns/{id}/favorite of a favourite", customer) {
            _ = try await $0.cast.customer.put("/v1/campaigns/\($0.campaign)/favorite")
            return .init("/v1/campaigns/\($0.campaign)/favorite")
        },
        Row("DELETE /v1/me/mutes/{shop} of a mute", customer) {
            _ = try await $0.cast.customer.put("/v1/me/mutes/\($0.shop)")
            return .init("/v1/me/mutes/\($0.shop)")
        },
        Row("PUT /v1/me/password of a first one", customer) {
            let code = try await $0.verification(of: "+8613800138002")
            return .init("/v1/me/password", #"{"new":"correct horse","code":"\#(code)"}"#)
        },
        Row("DELETE /v1/admin/shops/{id}/suspension with a reason", operators) {
            _ = try await $0.somebody(.operator).post("/v1/admin/shops/\($0.shop)/suspension", #"{"reason":"Complaints"}"#)
            return .init("/v1/admin/shops/\($0.shop)/suspension", #"{"reason":"Solved"}"#)
        },
        Row("DELETE /v1/admin/accounts/{id}/suspension with a reason", operators) {
            let path = "/v1/admin/accounts/\($0.cast.customer.account)/suspension"
            _ = try await $0.somebody(.operator).put(path, #"{"reason":"Sells codes"}"#)
            return .init(path, #"{"reason":"Mistaken"}"#)
        },
    ]
}
