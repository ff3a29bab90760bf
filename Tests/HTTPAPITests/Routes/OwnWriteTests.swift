import CommandService
import Composition
import EventLog
import Foundation
import HTTPTypes
import ReadModels
import Search
import Testing

@testable import HTTPAPI

/// The answer to a write waits for no read model. A read by an account waits until the read models contain the account's last write.
@Suite("Own writes", .timeLimit(.minutes(15)))
struct OwnWriteTests {
    /// Removes the minimum position that visitors send by default.
    private static let unsaid: HTTPFields = [.minPosition: ""]
    private static let seconds = Limits.minPositionSecondsMax

    private func seconds(since start: ContinuousClock.Instant) -> Double { (ContinuousClock.now - start) / .seconds(1) }

    /// The headers that an answer and its repetition have in common.
    private static func said(_ reply: Reply) -> HTTPFields {
        var headers = reply.headers
        headers[.requestID] = nil
        headers[.idempotencyReplayed] = nil
        return headers
    }

    /// A write request and the visitor who sends it.
    private struct Write {
        let visitor: Visitor
        let method: HTTPRequest.Method
        let path: String
        var body: String?
        var version: String?

        func send(_ number: Int) async throws -> Reply {
            try await visitor.send(method, path, body, key: "write-\(number)", headers: version.map { [.ifMatch: $0] } ?? [:])
        }
    }

    /// Writes of a customer and an owner, including those whose answers show a campaign's figures.
    private func writes(_ cast: Cast) async throws -> [Write] {
        let (owner, customer) = (cast.owner, cast.customer)
        let (campaign, shop) = ("/v1/campaigns/\(cast.campaign)", "/v1/shops/\(cast.shop)")
        let full = try await cast.fullCard()
        let tag = try #require(try await owner.get(campaign).headers[.eTag])
        let shopTag = try #require(try await owner.get(shop).headers[.eTag])
        return [
            Write(visitor: customer, method: .put, path: campaign + "/favorite"),
            Write(visitor: owner, method: .put, path: campaign + "/favorite"),
            Write(visitor: owner, method: .patch, path: campaign, body: #"{"title":"Changed"}"#, version: tag),
            Write(visitor: owner, method: .patch, path: shop, body: #"{"name":"Changed"}"#, version: shopTag),
            Write(visitor: owner, method: .post, path: shop + "/campaigns", body: Cast.campaignBody(title: "Another")),
            Write(visitor: customer, method: .post, path: shop + "/reviews", body: #"{"rating":4,"text":"好喝"}"#),
            Write(visitor: owner, method: .post, path: "/v1/notices", body: #"{"title":"New","text":"Tea","audience":"shop"}"#),
            Write(visitor: customer, method: .post, path: "/v1/stamps", body: #"{"code":"\#(try await cast.issue().code)"}"#),
            Write(visitor: customer, method: .post, path: "/v1/cards/\(full)/redemption"),
            Write(visitor: customer, method: .patch, path: "/v1/me", body: #"{"nickname":"小明"}"#),
            Write(visitor: owner, method: .post, path: campaign + "/codes", body: "{}"),
            Write(visitor: owner, method: .post, path: campaign + "/end"),
        ]
    }

    @Test("Writes are answered while every model stands still, and the same requests get the same bytes before and after")
    func writesDoNotWait() async throws {
        try await onStage { stage, visitor in
            let cast = try await Cast(visitor)
            let writes = try await writes(cast)
            let stall = try await Stall(of: stage.service)
            let start = ContinuousClock.now
            var first: [Reply] = []
            for (number, write) in writes.enumerated() { first.append(try await write.send(number)) }
            let waited = seconds(since: start)
            var second: [Reply] = []
            for (number, write) in writes.enumerated() { second.append(try await write.send(number)) }
            #expect(stage.service.models.position.rawValue < stage.head)
            stall.end()
            #expect(await stage.service.models.reached(stage.service.log.head, timeoutSeconds: 600))
            #expect(waited < Self.seconds * Double(writes.count), "no write waits for a model")
            for (number, (one, two)) in zip(first, second).enumerated() {
                let name = "\(writes[number].method) \(writes[number].path)"
                #expect((200...299).contains(one.status), "\(name): \(one.text)")
                let three = try await writes[number].send(number)
                #expect(one.body == two.body && two.body == three.body, "\(name)")
                #expect(Self.said(one) == Self.said(two) && Self.said(two) == Self.said(three), "\(name)")
            }
            #expect(try first[2].int("favorites") == 2, "favourites are counted in the log beyond the model")
            #expect(try second[11].int("favorites") == 2)
        }
    }

    @Test("A read of an account that has written is refused while its model stands still; the reads of others are answered")
    func ownReads() async throws {
        try await onStage { stage, visitor in
            let cast = try await Cast(visitor)
            let code = try await cast.issue().code
            let stall = try await Stall([CardProgress.name], of: stage.service)
            defer { stall.end() }
            let card = try await cast.stamp(code).string("card", "id")
            let start = ContinuousClock.now
            let refused = try await cast.customer.get("/v1/me/cards", headers: Self.unsaid)
            try refused.expectProblem("notCaughtUp", 503)
            #expect(refused.headers[.retryAfter] == "1" && seconds(since: start) >= Self.seconds * 0.9)
            try await cast.customer.get("/v1/cards/\(card)", headers: Self.unsaid).expectProblem("notCaughtUp", 503)
            // These reads do not wait: they come from another account, from the log, or from models that are not stalled.
            let other = try await visitor.signedIn("+8613800138005")
            let reads: [(Visitor, String)] = [
                (cast.customer, "/v1/me"), (cast.customer, "/v1/campaigns/\(cast.campaign)"), (cast.customer, "/v1/me/notices"),
                (cast.customer, "/v1/shops/\(cast.shop)/reviews"), (visitor, "/v1/shops"), (cast.owner, "/v1/shops/\(cast.shop)/stamps"),
            ]
            for (reader, path) in reads { #expect(try await reader.get(path, headers: Self.unsaid).status == 200, "\(path)") }
            // Signing in is a write, so this account must wait for it. An account without a write since the stall is served at once.
            try await other.get("/v1/me/cards", headers: Self.unsaid).expectProblem("notCaughtUp", 503)
            #expect(try await cast.owner.get("/v1/shops/\(cast.shop)", headers: Self.unsaid).status == 200)
        }
    }

    @Test("A holder's list waits for what a counter did to the holder's cards", arguments: ["gift", "redemption", "reversal"])
    func atTheCounter(act: String) async throws {
        try await onStage { stage, visitor in
            let cast = try await Cast(visitor)
            let badge = try await cast.customer.get("/v1/me/badge").string("code")
            let redemption = try await cast.redemption(of: try await cast.fullCard())
            let stamped = try await cast.stamp(try await cast.issue().code).int("position")
            let stall = try await Stall([CardProgress.name], of: stage.service)
            defer { stall.end() }
            #expect(try await cast.customer.get("/v1/me/cards", headers: Self.unsaid).status == 200)
            let done =
                switch act {
                case "gift": try await cast.owner.post("/v1/campaigns/\(cast.campaign)/stamps", #"{"badge":"\#(badge)"}"#, key: act)
                case "redemption": try await cast.redeem(redemption.code)
                default: try await cast.owner.post("/v1/stamps/\(stamped)/reversal", #"{"reason":"Wrong"}"#)
                }
            #expect((200...201).contains(done.status), "\(done.text)")
            try await cast.customer.get("/v1/me/cards", headers: Self.unsaid).expectProblem("notCaughtUp", 503)
        }
    }

    @Test("A client that names a lower position than its own last write waits for that write all the same")
    func lowerPosition() async throws {
        try await onStage { stage, visitor in
            let cast = try await Cast(visitor)
            let code = try await cast.issue().code
            let stall = try await Stall([CardProgress.name], of: stage.service)
            defer { stall.end() }
            let before = stage.head
            _ = try await cast.stamp(code)
            try await cast.customer.get("/v1/me/cards", headers: [.minPosition: "\(before)"]).expectProblem("notCaughtUp", 503)
        }
    }

    @Test("An account that has not written is served from a model that stands still")
    func others() async throws {
        try await onStage { stage, visitor in
            let cast = try await Cast(visitor)
            let other = try await visitor.signedIn("+8613800138005")
            let code = try await cast.issue().code
            let stall = try await Stall(of: stage.service)
            defer { stall.end() }
            _ = try await cast.stamp(code)
            let start = ContinuousClock.now
            let paths = ["/v1/me/cards", "/v1/me/favorites", "/v1/me/notices", "/v1/campaigns", "/v1/shops/\(cast.shop)/reviews"]
            for path in paths {
                for reader in [other, visitor] where reader.token != nil || !path.hasPrefix("/v1/me") {
                    #expect(try await reader.get(path, headers: Self.unsaid).status == 200, "\(path)")
                }
            }
            #expect(seconds(since: start) < Self.seconds * Double(paths.count))
        }
    }

    @Test("A read that waits for its account's write shows it as soon as the model does")
    func waiting() async throws {
        try await onStage { stage, visitor in
            let cast = try await Cast(visitor)
            for stamps in 1...2 {
                let code = try await cast.issue().code
                let stall = try await Stall([CardProgress.name], of: stage.service)
                _ = try await cast.stamp(code)
                async let read = cast.customer.get("/v1/me/cards", headers: Self.unsaid)
                try await Task.sleep(for: .milliseconds(100))
                stall.end()
                let cards = try await read
                #expect(try cards.json["items"]?[0]?["stamps"]?.int == stamps, "\(cards.text)")
            }
        }
    }

    @Test("Reads that are answered from the log alone do not wait for stalled models, up to the head of the log")
    func fromTheLog() async throws {
        try await onStage { stage, visitor in
            let cast = try await Cast(visitor)
            let stall = try await Stall(of: stage.service)
            defer { stall.end() }
            let code = try await cast.issue().id
            let paths = ["/v1/me", "/v1/me/sessions", "/v1/me/shops", "/v1/codes/\(code)", "/v1/shops/\(cast.shop)/codes"]
            for path in paths {
                #expect(try await cast.owner.get(path, headers: [.minPosition: "\(stage.head)"]).status == 200, "\(path)")
            }
            try await cast.owner.get("/v1/me", headers: [.minPosition: "\(stage.head + 1)"]).expectProblem("notCaughtUp", 503)
        }
    }

    @Test("A notice that the model does not show yet cannot be marked as read yet; one that it shows can")
    func notices() async throws {
        try await onStage { stage, visitor in
            let cast = try await Cast(visitor)
            _ = try await cast.stamp(try await cast.issue().code)
            let body = #"{"title":"New","text":"Tea","audience":"shop"}"#
            let known = try await cast.owner.post("/v1/notices", body).string("id")
            let stall = try await Stall([Notices.name], of: stage.service)
            let fresh = try await cast.owner.post("/v1/notices", body).string("id")
            try await cast.customer.put("/v1/me/notices/\(fresh)/read").expectProblem("notCaughtUp", 503)
            #expect(try await cast.customer.put("/v1/me/notices/\(known)/read").status == 204)
            try await cast.customer.get("/v1/me/export", headers: Self.unsaid).expectProblem("notCaughtUp", 503)
            stall.end()
            #expect(try await cast.customer.put("/v1/me/notices/\(fresh)/read").status == 204)
            #expect(try await cast.customer.get("/v1/me/notices", headers: Self.unsaid).int("unread") == 0)
        }
    }
}
