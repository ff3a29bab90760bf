import Composition
import EventLog
import Foundation
import HTTPTypes
import Loyalty
import ReadModels
import Testing

@testable import HTTPAPI

/// Lists of acts go on to their end, and end nowhere else.
@Suite("Pages of a shop's activity", .timeLimit(.minutes(15)))
struct ActivityPageTests {
    private static func path(_ cast: Cast, _ query: String) -> String { "/v1/shops/\(cast.shop)/activity\(query)" }

    private static func rows(_ reply: Reply) throws -> [JSONValue] { try #require(try reply.json["items"]?.items, "\(reply.text)") }

    private static func positions(_ rows: [JSONValue]) -> [Int] { rows.compactMap { $0["position"]?.int } }

    /// The positions on pages of one act each.
    private static func paged(_ query: String, _ cast: Cast, as reader: Visitor) async throws -> [Int] {
        var (found, next, pages): ([Int], String?, Int) = ([], "", 0)
        while let cursor = next {
            pages += 1
            try #require(pages <= 60, "\(query) goes on for ever: \(found)")
            let reply = try await reader.get(path(cast, query + "&limit=1" + (cursor.isEmpty ? "" : "&cursor=\(cursor)")))
            found += positions(try rows(reply))
            next = try reply.json["next"]?.string
        }
        return found
    }

    private static func stampPaper(_ code: String, by member: Visitor, _ cast: Cast) async throws {
        let body = #"{"paper":"\#(code)","stamps":2}"#
        #expect(try await member.post("/v1/campaigns/\(cast.campaign)/stamps", body, key: UUID().uuidString).status == 201)
    }

    /// Two cards on paper, of which the customer takes one with stamps, and somebody else one without.
    private static func takePapers(_ cast: Cast, clerk: Visitor, other: Visitor) async throws {
        let printed = try await cast.owner.post(
            "/v1/shops/\(cast.shop)/paper-cards", #"{"campaign":"\#(cast.campaign)","count":2}"#, key: "print",
            headers: [.accept: "application/json"])
        let codes = try #require(try printed.json["cards"]?.items?.compactMap { $0["code"]?.string }, "\(printed.text)")
        for member in [cast.owner, clerk] { try await stampPaper(codes[0], by: member, cast) }
        for (code, holder) in zip(codes, [cast.customer, other]) {
            #expect(try await holder.post("/v1/me/paper-cards", #"{"code":"\#(code)"}"#, key: "take").status == 201)
        }
    }

    /// Thousands of acts: each gift opens ten cards and fills them.
    private static func bury(_ cast: Cast, by owner: Visitor, _ crowd: Visitor) async throws {
        let campaign = try await owner.post("/v1/shops/\(cast.shop)/campaigns", Cast.campaignBody(goal: 1)).string("id")
        let badge = try await crowd.get("/v1/me/badge").string("code")
        for number in 0..<270 {
            let body = #"{"badge":"\#(badge)","stamps":10}"#
            let given = try await owner.post("/v1/campaigns/\(campaign)/stamps", body, key: "crowd-\(number)")
            try #require(given.status == 201, "\(given.text)")
        }
    }

    @Test("Pages of one act have each act that matches once, also of a paper card and behind thousands of acts of others")
    func everyFilter() async throws {
        try await onStage { stage, visitor in
            let cast = try await Cast(visitor, goal: 9)
            let clerk = try await visitor.signedIn("+8613800138004", name: "clerk")
            try await cast.hire(clerk)
            let other = try await visitor.signedIn("+8613800138005", name: "other")
            try await Self.takePapers(cast, clerk: clerk, other: other)
            let used = try await cast.issue(stamps: 2)
            let stamped = try await cast.stamp(used.code)
            let reversal = try await cast.owner.post(
                "/v1/stamps/\(try stamped.int("position"))/reversal", #"{"reason":"One cup too many","stamps":1}"#, key: "part")
            #expect(reversal.status == 200, "\(reversal.text)")
            let his = try await clerk.post("/v1/campaigns/\(cast.campaign)/codes", "{}").string("code")
            #expect(try await cast.stamp(his, as: other).status == 201)
            let all = try Self.rows(try await cast.owner.get(Self.path(cast, "?limit=100")))
            let day = try #require(all.first?["at"]?.string).prefix(10)
            let card = try stamped.string("card", "id")
            let handle = try #require(all.first { $0["card"]?.string == card }?["customer"]?["handle"]?.string)
            let own = all.filter { $0["customer"]?["handle"]?.string == handle }
            #expect(own.compactMap { $0["kind"]?.string } == ["stampReversed", "stamped", "stamped", "stamped", "opened", "taken"])
            let taken = all.filter { $0["kind"]?.string == "taken" }.map { $0["customer"]?["handle"]?.string }
            #expect(taken.count == 2 && taken[0] != handle && taken[1] == handle)

            stage.clock.advance(seconds: 3 * 86_400)
            let owner = try await visitor.signedIn("+8613800138001", name: "owner")
            try await Self.bury(cast, by: owner, try await visitor.signedIn("+8613800138008", name: "crowd"))
            let filters: [(query: String, matching: [JSONValue])] = [
                ("?customer=\(handle)", own), ("?customer=\(handle)&kinds=taken", own.suffix(1)),
                ("?phone=%2B8613800138002", own), ("?card=\(card.suffix(6))", all.filter { $0["card"]?.string == card }),
                ("?member=\(clerk.account)", all.filter { $0["member"]?.string == clerk.account }),
                ("?code=\(used.code)", all.filter { $0["code"]?.string == used.id }), ("?from=\(day)&to=\(day)&timeZone=UTC", all),
            ]
            for (query, matching) in filters {
                #expect(try await Self.paged(query, cast, as: owner) == Self.positions(matching), "\(query)")
                #expect(!matching.isEmpty, "\(query)")
            }
        }
    }

    @Test("A search by card or of past days is refused while its read model is behind; other lists are answered and complete")
    func behind() async throws {
        try await onStage { stage, visitor in
            let cast = try await Cast(visitor, goal: 9)
            _ = try await cast.stamp(try await cast.issue().code)
            let day = try #require(try Self.rows(try await cast.owner.get(Self.path(cast, ""))).first?["at"]?.string).prefix(10)
            stage.clock.advance(seconds: 3 * 86_400)
            let owner = try await visitor.signedIn("+8613800138001", name: "owner")
            let customer = try await visitor.signedIn("+8613800138002", name: "customer")
            let seconds = Double(stage.clock.now().microseconds) / 1_000_000
            let today = ISO8601DateFormatter().string(from: Date(timeIntervalSince1970: seconds)).prefix(10)
            let searches: [String]
            let head: UInt64
            do {
                let stall = try await Stall([ActivityPlaces.name], of: stage.service)
                defer { stall.end() }
                let code = try await owner.post("/v1/campaigns/\(cast.campaign)/codes", "{}").string("code")
                let stamped = try await cast.stamp(code, as: customer)
                head = stage.head
                searches = ["?card=\(try stamped.string("card", "id"))", "?from=\(day)&to=\(day)&timeZone=UTC", "?card=zzzzzz"]
                for query in searches {
                    // Also a reader who names no later position is not shown a part.
                    let refused = try await owner.get(Self.path(cast, query), headers: [.minPosition: "1"])
                    try refused.expectProblem("notCaughtUp", 503)
                    #expect(refused.headers[.retryAfter] == "1")
                }
                let newest = try stamped.int("position")
                for query in ["", "?code=\(code)", "?from=\(today)&timeZone=UTC", "?from=\(day)&timeZone=UTC"] {
                    let reply = try await owner.get(Self.path(cast, query), headers: [.minPosition: "\(head)"])
                    #expect(try Self.positions(Self.rows(reply)).first == newest, "\(query)")
                    #expect(try #require(reply.position) >= head)
                }
            }
            #expect(await stage.service.models.reached(stage.service.log.head, timeoutSeconds: 600))
            for (query, count) in zip(searches, [3, 3, 0]) {
                let reply = try await owner.get(Self.path(cast, query), headers: [.minPosition: "\(head)"])
                #expect(try Self.rows(reply).count == count, "\(query)")
                #expect(try #require(reply.position) >= head)
            }
        }
    }
}
