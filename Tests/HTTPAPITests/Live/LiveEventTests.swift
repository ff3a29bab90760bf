import CommandService
import Composition
import EventLog
import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import NIOCore
import Patience
import ReadModels
import Synchronization
import Testing

@testable import HTTPAPI

/// Tests Server-Sent Events over real connections.
@Suite("Live events", .timeLimit(.minutes(15)))
struct LiveEventTests {
    /// One event of a stream; comments and messages without an event name are left out.
    private struct Message: Equatable {
        var id: UInt64?
        var event: String?
        var data: JSONValue?

        static func all(in answer: String) throws -> [Message] {
            let body = answer.split(separator: "\r\n").map(String.init).filter { $0.contains("\n") }.joined()
            return try body.components(separatedBy: "\n\n").compactMap { block in
                var message = Message()
                for line in block.split(separator: "\n") {
                    if line.hasPrefix("id: ") { message.id = UInt64(line.dropFirst(4)) }
                    if line.hasPrefix("event: ") { message.event = String(line.dropFirst(7)) }
                    if line.hasPrefix("data: ") { message.data = try JSONValue(Array(line.dropFirst(6).utf8)) }
                }
                return message.event == nil ? nil : message
            }
        }
    }

    /// Reads a stream until the received text holds `count` events.
    private static func listen(
        _ port: Int, _ visitor: Visitor, _ path: String = "/v1/me/events", header: String = "", count: Int,
        seeing: @escaping @Sendable (String) -> Void = { _ in }
    ) async throws -> String {
        let request = "GET \(path) HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer \(visitor.token ?? "")\r\n\(header)\r\n"
        return try await RawConnection.exchange(port: port, [ByteBuffer(string: request)]) { text in
            seeing(text)
            return text.components(separatedBy: "\nevent: ").count > count
        }
    }

    @Test("A shop and a customer each get their own events, from the position they ask for")
    func story() async throws {
        try await onLiveStage { stage, visitor, port in
            let cast = try await Cast(visitor, goal: 1)
            let start = stage.head
            let code = try await cast.issue()
            let card = try await cast.stamp(code.code).string("card", "id")
            _ = try await cast.redeem(try await cast.redemption(of: card).code)
            _ = try await cast.owner.post("/v1/notices", #"{"title":"茶","text":"a\nb","audience":"shop"}"#)

            let counter = try await Self.listen(port, cast.owner, header: "Last-Event-ID: \(start)\r\n", count: 3)
            #expect(counter.contains("HTTP/1.1 200") && counter.lowercased().contains("content-type: text/event-stream"))
            #expect(counter.contains("retry: 3000\nid: \(start)\n"))
            let shop = try Message.all(in: counter)
            #expect(shop.map(\.event) == ["code", "code", "redemption"])
            #expect(shop.map { $0.data?["kind"]?.string } == ["issued", "used", "redeemed"])
            #expect(shop[1].data?["code"] == .string(code.id) && shop[1].data?["stamps"] == .number(1))
            #expect(shop[2].data?["by"] == .string(cast.owner.account))

            let pocket = try Message.all(in: try await Self.listen(port, cast.customer, "/v1/me/events?lastEventId=\(start)", count: 5))
            #expect(pocket.map { $0.data?["kind"]?.string } == ["opened", "full", "redemptionRequested", "redeemed", "posted"])
            #expect(pocket[1].data?["card"]?["id"] == .string(card) && pocket[1].data?["card"]?["status"] == .string("full"))
            #expect(pocket[1].data?["redemption"] == nil && pocket[2].data?["redemption"] != nil)
            #expect(pocket[2...3].allSatisfy { $0.data?["redemption"] == shop[2].data?["redemption"] })
            #expect(pocket[4].event == "notice" && pocket[4].data?["notice"]?["text"] == .string("a\nb"))
            for message in shop + pocket { #expect(message.data?["position"]?.int.map { UInt64($0) } == message.id) }

            let last = try #require(pocket[2].id)
            let rest = try await Self.listen(port, cast.customer, header: "Last-Event-ID: \(last)\r\n", count: 2)
            #expect(try Message.all(in: rest) == Array(pocket[3...]))
        }
    }

    @Test("Each till of a shop hears that a stamp was taken back, and from which code")
    func takenBack() async throws {
        try await onLiveStage { stage, visitor, port in
            let cast = try await Cast(visitor)
            let second = try await visitor.signedIn("+8613800138003", name: "second till")
            try await cast.hire(second)
            let code = try await cast.issue(stamps: 2)
            let position = try await cast.stamp(code.code).int("position")
            let start = stage.head
            #expect(try await cast.owner.post("/v1/stamps/\(position)/reversal", #"{"reason":"Refunded"}"#).status == 200)
            for till in [cast.owner, second] {
                let heard = try Message.all(in: try await Self.listen(port, till, header: "Last-Event-ID: \(start)\r\n", count: 1))
                let data = try #require(heard.first?.data)
                #expect(heard.first?.event == "code" && data["kind"] == .string("reversed"))
                #expect(data["code"] == .string(code.id) && data["campaign"] == .string(cast.campaign))
                #expect(data["shop"] == .string(cast.shop) && data["stamps"] == .number(2))
                #expect(data["card"] == nil && data["reason"] == nil)
            }
            let pocket = try await Self.listen(port, cast.customer, header: "Last-Event-ID: \(start)\r\n", count: 1)
            let mine = try Message.all(in: pocket)
            #expect(mine.first?.event == "card" && mine.first?.data?["kind"] == .string("stampReversed"))
        }
    }

    @Test("A new event is streamed at once, and the stream of a disconnected reader is closed")
    func live() async throws {
        try await onLiveStage { stage, visitor, port in
            let cast = try await Cast(visitor)
            async let heard = Self.listen(port, cast.owner, count: 1)
            try await eventually("the stream is open") { stage.service.live.count > 0 }
            _ = try await cast.issue()
            #expect(try await Message.all(in: heard).first?.data?["kind"] == .string("issued"))
            try await eventually("the stream is closed") { stage.service.live.count == 0 }
        }
    }

    @Test(
        "A new stream waits for a model of cards or notices that is behind the log, and opens after a time limit all the same",
        arguments: [CardProgress.name, Notices.name])
    func waits(_ model: String) async throws {
        try await onLiveStage { stage, visitor, port in
            let cast = try await Cast(visitor)
            let code = try await cast.issue().code
            let stall = try await Stall([model], of: stage.service)
            defer { stall.end() }
            #expect(try await cast.stamp(code).status == 201)
            let start = ContinuousClock.now
            let opening = try await Self.listen(port, cast.customer, count: 0)
            #expect(opening.hasPrefix("HTTP/1.1 200"), "\(opening)")
            #expect((ContinuousClock.now - start) / .seconds(1) >= Limits.minPositionSecondsMax * 0.9)
        }
    }

    @Test("A stream whose request has a body of many parts closes like any other when its reader disconnects")
    func body() async throws {
        try await onLiveStage { stage, visitor, port in
            let customer = try await visitor.signedIn("+8613800138002")
            let head = "GET /v1/me/events HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer \(customer.token ?? "")\r\n"
            let chunks = "Transfer-Encoding: chunked\r\n\r\n" + String(repeating: "1\r\nx\r\n", count: 20) + "0\r\n\r\n"
            let opening = try await RawConnection.exchange(port: port, [ByteBuffer(string: head + chunks)]) { $0.contains("retry: ") }
            #expect(opening.hasPrefix("HTTP/1.1 200"), "\(opening)")
            try await eventually("the stream is closed") { stage.service.live.count == 0 }
        }
    }

    @Test("A stream ends when its session is signed out, and states the reason")
    func ends() async throws {
        try await onLiveStage { stage, visitor, port in
            let customer = try await visitor.signedIn("+8613800138002")
            async let heard = Self.listen(port, customer, count: 99)
            try await eventually("the stream is open") { stage.service.live.count > 0 }
            #expect(try await customer.delete("/v1/sessions/current").status == 204)
            #expect(try await heard.contains(": end signedOut"))
        }
    }

    @Test("A stream ends when the service drains, and does not delay the shutdown")
    func drains() async throws {
        let hearing = Mutex<Task<String, any Error>?>(nil)
        try await onLiveStage { stage, visitor, port in
            let customer = try await visitor.signedIn("+8613800138002")
            hearing.withLock { $0 = Task { try await Self.listen(port, customer, count: 99) } }
            try await eventually("the stream is open") { stage.service.live.count > 0 }
        }
        let heard = try await hearing.withLock { $0 }?.valueInTime()
        #expect(heard?.contains(": end stopping") == true)
    }

    @Test("An idle stream sends heartbeats and ends when its token expires")
    func beats() async throws {
        try await onLiveStage { stage, visitor, port in
            let customer = try await visitor.signedIn("+8613800138002")
            async let heard = Self.listen(port, customer, count: 99) { text in
                // The hub checks the clock periodically. The test advances the clock and makes the hub check it, so that no real time need
                // pass.
                if text.contains("retry: ") { stage.clock.advance(seconds: text.contains(": beat") ? 900 : 16) }
                stage.service.live.look()
            }
            let text = try await heard
            #expect(text.contains(": beat\n") && text.contains(": end expired"))
        }
    }

    @Test("A stream needs a valid token and a valid position, and an account may have only eight streams")
    func refused() async throws {
        try await onLiveStage { stage, visitor, port in
            try await visitor.get("/v1/me/events").expectProblem("unauthenticated", 401)
            let customer = try await visitor.signedIn("+8613800138002")
            for text in ["x", "-1", "1.5", "18446744073709551616", "99999"] {
                try await customer.get("/v1/me/events?lastEventId=\(text)").expectProblem("invalidRequest", 400)
            }
            let listeners = (0..<8).map { _ in Task { try await Self.listen(port, customer, count: 99) } }
            try await eventually("all are open") { stage.service.live.count == 8 }
            let ninth = try await customer.get("/v1/me/events")
            try ninth.expectProblem("rateLimited", 429)
            #expect(ninth.headers[.retryAfter] == "30")
            #expect(try await customer.delete("/v1/sessions/current").status == 204)
            for listener in listeners { _ = try await listener.valueInTime() }
        }
    }
}
