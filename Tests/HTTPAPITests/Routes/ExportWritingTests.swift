import Caches
import Composition
import EventLog
import HTTPTypes
import Hummingbird
import HummingbirdCore
import Logging
import Loyalty
import LoyaltyCodec
import NIOCore
import NIOEmbedded
import Patience
import Synchronization
import Testing

import struct EventLog.Tag

@testable import HTTPAPI

@Suite("Data export in pieces", .timeLimit(.minutes(15)))
struct ExportWritingTests {
    /// Collects the pieces of a body, and calls a closure before each of them.
    private struct Recorder: ResponseBodyWriter {
        final class Record: Sendable {
            let pieces = Mutex<[ByteBuffer]>([])
            let isFinished = Mutex(false)
        }

        let record: Record
        let before: @Sendable () async throws -> Void

        func write(_ buffer: ByteBuffer) async throws {
            try await before()
            record.pieces.withLock { $0.append(buffer) }
        }

        consuming func finish(_ trailingHeaders: HTTPFields?) async throws { record.isFinished.withLock { $0 = true } }
    }

    private struct Gone: Error {}

    /// A customer with a long history. Each gift has ten stamps. The goal is one stamp, so each stamp fills a card.
    private static func customer(gifts: Int, _ visitor: Visitor) async throws -> Visitor {
        let cast = try await Cast(visitor, goal: 1)
        for number in 0..<gifts {
            let path = "/v1/campaigns/\(cast.campaign)/stamps"
            let given = try await cast.owner.post(path, #"{"phone":"+8613800138002","stamps":10}"#, key: "\(number)")
            #expect(given.status == 201)
        }
        return cast.customer
    }

    /// Writes an export of an account, as the route for exports does.
    private static func export(
        _ id: AccountID, on stage: Stage, before: @escaping @Sendable () async throws -> Void = {}
    ) async throws -> Recorder.Record {
        let resources = stage.api.resources
        let writing = try ExportWriting(of: id, resources, resources.slots.exports.take(as: PoolShare(of: nil, account: id)))
        let record = Recorder.Record()
        var writer: any ResponseBodyWriter = Recorder(record: record, before: before)
        try await writing.run(&writer)
        return record
    }

    @Test("A long history is exported whole, in pieces of bounded size")
    func pieces() async throws {
        try await onStage { stage, visitor in
            let me = try await Self.customer(gifts: 20, visitor)
            let reply = try await me.get("/v1/me/export")
            let json = try reply.json
            #expect(reply.status == 200 && reply.headers[.contentLength] == nil)
            #expect(json.names == Self.names)
            #expect(json["cards"]?.items?.count == 200)
            #expect(Set(json["cards"]?.items?.compactMap { $0["id"]?.string } ?? []).count == 200)
            let id = try #require(AccountID(text: me.account))
            let query = Query.items([QueryItem(types: [], tags: [Tag(kind: .account, value: id.value)])])
            let positions = try stage.service.log.positions(matching: query).map { Int($0.rawValue) }
            #expect(positions.count > 3 * Limits.exportPageEvents)
            #expect(json["events"]?.items?.compactMap { $0["position"]?.int } == positions)

            let record = try await Self.export(id, on: stage)
            let pieces = record.pieces.withLock { $0 }
            #expect(record.isFinished.withLock { $0 } && pieces.count > 4)
            // A piece of the body ends after the first line with which it has the minimum length, so it exceeds this length by at most one
            // line.
            #expect(pieces.allSatisfy { $0.readableBytes < Limits.exportPieceBytes + 2_048 })
            #expect(pieces.map { String(buffer: $0) }.joined() == reply.text)
        }
    }

    private static let names: Set = [
        "position", "account", "shop", "shops", "cards", "reviews", "replies", "feedback", "favorites", "notices", "sessions", "events",
        "postedNotices", "campaigns", "staffNames",
    ]

    @Test("An export occupies its account's slot until it is written, and others are exported meanwhile")
    func slot() async throws {
        try await onStage { stage, visitor in
            let me = try await Self.customer(gifts: 2, visitor)
            let id = try #require(AccountID(text: me.account))
            let (begun, begin) = AsyncStream<Void>.makeStream()
            let (allowed, allow) = AsyncStream<Void>.makeStream()
            let slow = Task {
                try await Self.export(id, on: stage) {
                    begin.finish()
                    for await _ in allowed {}
                }
            }
            for await _ in begun {}
            let refused = try await me.get("/v1/me/export")
            try refused.expectProblem("overloaded", 503)
            #expect(refused.headers[.retryAfter] != nil)
            #expect(try await visitor.signedIn("+8613800138010").get("/v1/me/export").status == 200)
            allow.finish()
            #expect(try await slow.valueInTime().isFinished.withLock { $0 })
            #expect(try await me.get("/v1/me/export").status == 200)
        }
    }

    @Test("Ten accounts at one address that do not read their exports keep nobody else from an export", arguments: [false, true])
    func unread(_ isAtSameAddress: Bool) async throws {
        try await onStage(try Stage(trustedProxies: 1)) { stage, visitor in
            let responder = stage.api.responder
            func export(_ phone: String, from address: String) async throws -> Response {
                let token = try #require(try await visitor.signedIn(phone).token)
                let request = Request(
                    head: HTTPRequest(
                        method: .get, scheme: nil, authority: "x", path: "/v1/me/export",
                        headerFields: [.authorization: "Bearer " + token, .forwardedFor: address]),
                    body: RequestBody(buffer: ByteBuffer()))
                let source = ApplicationRequestContextSource(channel: EmbeddedChannel(), logger: Logger(label: "tests"))
                return try await responder.respond(to: request, context: APIContext(source: source))
            }
            var unread: [Response] = []
            for number in 0..<10 { unread.append(try await export("+861380013802\(number)", from: "203.0.113.7")) }
            let other = try await export("+8613800138030", from: isAtSameAddress ? "203.0.113.7" : "203.0.113.8")
            #expect(other.status == .ok)
            withExtendedLifetime(unread) {}
        }
    }

    @Test("A client that hangs up, or asks for the head alone, leaves no slot taken")
    func gone() async throws {
        try await onStage { stage, visitor in
            let me = try await Self.customer(gifts: 1, visitor)
            let id = try #require(AccountID(text: me.account))
            await #expect(throws: Gone.self) { try await Self.export(id, on: stage) { throw Gone() } }
            for _ in 0..<3 {
                let head = try await me.send(.head, "/v1/me/export")
                #expect(head.status == 200 && head.text.isEmpty && head.headers[.contentType] == "application/json")
            }
            #expect(try await me.get("/v1/me/export").status == 200)
        }
    }
}
