import Patience
import SharedLogs
import Testing

@testable import EventLog

/// A log that follows a source.
final class Following {
    let log: EventLog
    let follower: LogFollower
    private let noted: Shared<[EventLogError]>

    init(
        _ source: any EntrySource, in sandbox: Sandbox? = nil, fallback: (any EntrySource)? = nil, schema: Schema = .forTests,
        options: EventLog.Options = .tiny(flush: 5), pauseSeconds: Double = 0.001
    ) throws {
        let (log, noted) = (try (sandbox ?? Sandbox()).open(schema: schema, options: options), Shared<[EventLogError]>([]))
        (self.log, self.noted) = (log, noted)
        follower = LogFollower(log: log, key: .forTests, from: source, fallback: fallback, pauseSeconds: { _ in pauseSeconds }) { error in
            noted.update { $0.append(error) }
        }
        follower.start()
    }

    deinit { follower.stop() }

    /// The reports of a permanent stop.
    var failures: [EventLogError] { noted.value }

    func reaches(_ position: Position) async throws {
        let isReached = try await log.headSignal.reached(position, timeoutSeconds: patienceSeconds)
        try #require(isReached, "at \(log.head), not \(position): \(follower.status)")
    }

    /// Waits for the permanent stop, and expects that it was reported once and left nothing behind.
    func expectFailure(_ code: EventLogError.Code, at head: Position = .start) async throws {
        try await eventually("the follower fails") { !failures.isEmpty }
        let status = follower.status
        #expect(status.hasFailed && status.failure?.code == code, "\(status)")
        #expect(failures.count == 1 && log.head == head)
        #expect(try log.positions(matching: .all).count == Int(head.rawValue))
        // It has released the appender, and staged nothing.
        #expect(try log.appender().head == head)
    }
}

/// Answers a follower with the results of a closure, and notes the positions after which it was asked.
final class ScriptedSource: EntrySource {
    private let asked = Shared<[Position]>([])
    private let answer: @Sendable (_ call: Int, _ after: Position) throws(EventLogError) -> [[UInt8]]

    init(_ answer: @escaping @Sendable (_ call: Int, _ after: Position) throws(EventLogError) -> [[UInt8]]) { self.answer = answer }

    var calls: [Position] { asked.value }

    func entries(after position: Position, bytes: Int) throws(EventLogError) -> [[UInt8]] {
        let call = asked.value.count
        asked.update { $0.append(position) }
        return try answer(call, position)
    }
}

/// The entries of another log, as another node makes them.
struct LogSource: EntrySource {
    let log: EventLog
    var entryBytesMax = Int.max

    func entries(after position: Position, bytes: Int) throws(EventLogError) -> [[UInt8]] {
        try log.entry(after: position, bytes: min(bytes, entryBytesMax), key: .forTests).map { [$0.bytes] } ?? []
    }
}

/// Expects that a log has the records, the tree and the answers of another one.
func expectEqual(_ log: EventLog, _ other: EventLog) throws {
    #expect(log.head == other.head)
    #expect(try log.root() == other.root())
    var tags: Set = [card(0)]
    try other.scan { position, record in
        let (bytes, others) = (record.copiedBytes, try log.recordBytes(at: position))
        #expect(bytes == others, "position \(position)")
        for index in 0..<record.tagCount where record.tag(at: index).kind != .digest { tags.insert(record.tag(at: index)) }
        return true
    }
    for tag in tags { #expect(try log.positions(matching: .tags(tag)) == other.positions(matching: .tags(tag)), "\(tag)") }
}
