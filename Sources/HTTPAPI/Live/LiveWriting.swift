import CommandService
import EventLog
import Hummingbird
import Loyalty
import LoyaltyCodec
import NIOCore
import ReadModels

/// Writes one stream to its connection until it is over.
struct LiveWriting: Sendable {
    let resources: Resources
    let stream: LiveStream
    let account: AccountID

    /// A slow connection holds up this task alone: writing waits until it takes more.
    ///
    /// - Throws: what the connection throws when it is gone, and where the log cannot be read.
    @concurrent
    func run(_ writer: inout any ResponseBodyWriter) async throws {
        try await writer.write(ByteBuffer(string: LiveMessage.opening(after: stream.startsAfter)))
        while true {
            switch try await stream.next() {
            case .events(let facts): try await writer.write(try buffer(facts))
            case .beat: try await writer.write(ByteBuffer(string: LiveMessage.beat))
            case .ended(let reason):
                if reason != .gone { try await writer.write(ByteBuffer(string: LiveMessage.ending(reason))) }
                return try await writer.finish(nil)
            }
        }
    }

    private func buffer(_ facts: [Fact]) throws -> ByteBuffer {
        var buffer = ByteBuffer()
        for fact in facts {
            LiveMessage.write(LiveEventAnswer(fact: fact, content: try content(of: fact)), to: &buffer)
        }
        return buffer
    }

    private func content(of fact: Fact) throws -> LiveEventAnswer.Content {
        if case .noticePosted(let event) = fact.event {
            return .notice(try resources.noticeAnswer(PostedNotice(event, of: fact)))
        }
        guard fact.event.holder == account, let id = fact.event.card else { return .shop }
        let card = try resources.existing(through: Position(fact.position)) { try $0.card(id) }
        return .card(try resources.service.opened(card))
    }
}
