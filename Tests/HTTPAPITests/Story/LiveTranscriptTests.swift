import CommandService
import Composition
import Foundation
import HTTPAPI
import Hummingbird
import HummingbirdTesting
import NIOCore
import Patience
import Testing

/// The transcript of an event stream, which needs a real connection. `GREENTEA_RECORD=1` records it again.
@Suite("Transcript of live events", .timeLimit(.minutes(15)))
struct LiveTranscriptTests {
    static let file = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../../Fixtures/http/live.txt")
    private static var isRecording: Bool { ProcessInfo.processInfo.environment["GREENTEA_RECORD"] == "1" }

    @Test("Live events match the recorded transcript")
    func transcript() async throws {
        let text = try await onLiveStage(try Stage(randomness: TestRandomness(seed: 1))) { stage, visitor, port in
            let director = Director(visitor: visitor, clock: stage.clock, service: stage.service)
            try await Self.play(stage, director, port)
            return "# Hear at once of what happens\n" + director.transcript.text
        }
        if Self.isRecording { try Data(text.utf8).write(to: Self.file) }
        #expect(text == String(decoding: try Data(contentsOf: Self.file), as: UTF8.self))
    }

    private static func play(_ stage: Stage, _ director: Director, _ port: Int) async throws {
        let cast = try await director.cast(goal: 1)
        let start = stage.head
        director.say("The screen at the counter listens while the owner shows a code and the customer enters it")
        async let counter = listen(port, cast.owner, from: nil, count: 2)
        try await eventually("the stream is open") { stage.service.live.count > 0 }
        let code = try await director.recorded(cast.owner).post("/v1/campaigns/\(cast.campaign)/codes", "{}", key: "code").string("code")
        let stamped = try await director.recorded(cast.customer).post("/v1/stamps", #"{"code":"\#(code)"}"#, key: "stamp")
        director.transcript.record("owner", stream: "/v1/me/events", from: nil, try await counter)
        director.say("The customer's phone was away, and goes on from the last event that it saw")
        _ = try await cast.redeem(try await cast.redemption(of: try stamped.string("card", "id")).code)
        director.transcript.record(
            "customer", stream: "/v1/me/events", from: start, try await listen(port, cast.customer, from: start, count: 4))
    }

    /// Reads a stream until it holds `count` events.
    private static func listen(_ port: Int, _ visitor: Visitor, from start: UInt64?, count: Int) async throws -> String {
        let last = start.map { "Last-Event-ID: \($0)\r\n" } ?? ""
        let request = "GET /v1/me/events HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer \(visitor.token ?? "")\r\n\(last)\r\n"
        let answer = try await RawConnection.exchange(port: port, [ByteBuffer(string: request)]) { text in
            text.components(separatedBy: "\nevent: ").count > count && text.hasSuffix("\n\n\r\n")
        }
        // Removes the chunk sizes of the chunked transfer encoding.
        return answer.components(separatedBy: "\r\n").filter { $0.contains("\n") }.joined()
    }
}
