import EventLog
import Foundation
import Testing

/// Readers beside the writer: the head only grows, everything up to it is there, and the index agrees with arithmetic.
@Suite(.temporaryFolder) struct ConcurrencyTests {
    static let cards: UInt64 = 7
    static let total: UInt64 = 6_000

    /// A thread that appends events in batches of every size; event `p` has card `p % 7`, and its position as payload.
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

    private static func count(of card: UInt64, through head: UInt64) -> Int {
        (head == 0 ? [] : Array(1...head)).filter { $0 % cards == card }.count
    }

    private func look(at log: EventLog, _ last: inout UInt64, _ random: inout SeededGenerator) throws {
        let head = log.head.rawValue
        #expect(head >= last, "the head went back")
        last = head
        let card = UInt64(random.int(0...Int(Self.cards) - 1))
        let found = try log.positions(
            matching: .tags(Tag(.card, UInt128(card))), after: .start, through: Position(head), backwards: random.oneIn(2), limit: .max)
        #expect(found.count == Self.count(of: card, through: head), "card \(card) through \(head)")
        #expect(Set(found).count == found.count && found.allSatisfy { $0.rawValue % Self.cards == card && $0.rawValue <= head })
        if head > 0 {
            let newest = try log.lastPosition(of: Tag(.card, UInt128(head % Self.cards)))
            #expect(newest.map { $0.rawValue >= head } == true)
        }
        var seen = head > 100 ? head - 100 : 0
        try log.scan(after: Position(seen)) { position, record in
            seen += 1
            let payload = record.payload
            var stored: UInt64 = 0
            for index in 0..<8 { stored |= UInt64(payload[index]) << UInt64(8 * index) }
            #expect(position.rawValue == seen && stored == seen)
            return true
        }
        #expect(seen >= head)
    }

    @Test func readersSeeADenseHistoryWhileItGrows() async throws {
        let (generator, seed) = SeededGenerator.announced("readersSeeADenseHistoryWhileItGrows")
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
                    var (random, last) = (SeededGenerator(seed: own), UInt64(0))
                    while !isDone.value {
                        try look(at: log, &last, &random)
                        await Task.yield()
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

extension SeededGenerator {
    /// A seed of its own for each of several tasks.
    func seed(of task: Int) -> UInt64 {
        var copy = self
        return copy.next() ^ UInt64(task)
    }
}
