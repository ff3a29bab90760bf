import EventLog
import Foundation
import Seeds
import Testing

/// Tests readers that run concurrently with the writer. The head only grows, every event up to the head is readable, and the index gives
/// the answers that the test computes.
@Suite(.temporaryFolder, .timeLimit(.minutes(15))) struct ConcurrencyTests {
    static let cards: UInt64 = 7
    static let total: UInt64 = 4_000

    /// Starts a thread that appends events in batches of various sizes. The event at position `p` has the card `p % 7`, and its position as
    /// payload.
    private func write(to log: EventLog, done: @escaping @Sendable ((any Error)?) -> Void) {
        Thread {
            do {
                let appender = try log.appender()
                while log.head.rawValue < Self.total {
                    for _ in 0...Int(log.head.rawValue % 40) {
                        let position = appender.head.next.rawValue
                        let payload = (0..<8).map { UInt8(truncatingIfNeeded: position >> (8 * $0)) }
                        let tag = card(UInt128(position % Self.cards))
                        try appender.stage(event(position % 2 == 0 ? .opened : .closed, tag, payload: payload))
                    }
                    try appender.commit()
                }
                done(nil)
            } catch { done(error) }
        }.start()
    }

    /// Makes a query by tag, a look-up of the newest event and a scan. The expected answers are computed from the head.
    private func look(at log: EventLog, _ last: inout UInt64, _ random: inout SeededRandom) throws {
        let head = log.head.rawValue
        #expect(head >= last, "the head went back")
        last = head
        let card = UInt64(random.int(0...Int(Self.cards) - 1))
        let (after, backwards) = (UInt64(random.int(0...Int(head))), random.oneIn(2))
        let found = try log.positions(
            matching: .tags(Tag(.card, UInt128(card))), after: Position(after), through: Position(head), backwards: backwards, limit: .max)
        let expected = stride(from: after + 1, through: head, by: 1).filter { $0 % Self.cards == card }
        #expect(found.map(\.rawValue) == (backwards ? expected.reversed() : expected), "card \(card) through \(head)")
        if head > 0 {
            let newest = try log.lastPosition(of: Tag(.card, UInt128(head % Self.cards)))
            #expect(newest.map { $0.rawValue >= head } == true)
        }
        try expectDense(log, from: head > 100 ? head - 100 : 0, through: head)
    }

    private func expectDense(_ log: EventLog, from after: UInt64, through head: UInt64) throws {
        var (seen, areRight) = (after, true)
        try log.scan(after: Position(after)) { position, record in
            seen += 1
            var stored: UInt64 = 0
            for index in 0..<8 { stored |= UInt64(record.payload[index]) << UInt64(8 * index) }
            areRight = areRight && position.rawValue == seen && stored == seen
            return true
        }
        #expect(areRight && seen >= head)
    }

    @Test("Readers see a history without gaps while it grows")
    func readersSeeADenseHistoryWhileItGrows() async throws {
        let generator = SeededRandom.announced("readersSeeADenseHistoryWhileItGrows"), seed = generator.seed
        let log = try Sandbox().open(options: .tiny(flush: 50, stall: 120))
        let failure = Shared<String?>(nil)
        let isDone = Shared(false)
        write(to: log) { error in
            failure.value = error.map { "\($0)" }
            isDone.value = true
        }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<3 {
                let own = generator.seed(of: number)
                group.addTask {
                    var (random, last) = (SeededRandom(seed: own), UInt64(0))
                    while !isDone.value {
                        try look(at: log, &last, &random)
                        // The reader pauses, so that it does not starve the writer.
                        try await Task.sleep(for: .milliseconds(1))
                    }
                    try look(at: log, &last, &random)
                    #expect(last >= Self.total, "seed \(seed)")
                }
            }
            try await group.waitForAll()
        }
        #expect(failure.value == nil)
    }
}

extension SeededRandom {
    /// A separate seed for each of several tasks.
    func seed(of task: Int) -> UInt64 {
        var copy = self
        return copy.next() ^ UInt64(task)
    }
}
