import Merkle
import SharedLogs
import Testing

@testable import EventLog

/// The shared log keeps what a late node still needs, and no more.
@Suite struct SharedTrimmingTests {
    /// A writer without a local log.
    private struct Writer {
        let engine = MemorySharedLog()
        let commit: SharedCommit
        private var edge = TreeEdge()
        private var head = Position.start

        init() throws {
            commit = SharedCommit(engine)
            try commit.claim(as: .a, at: .start, root: .ofNothing)
        }

        /// Appends entries of 16 events and about a megabyte.
        mutating func append(_ count: Int) throws {
            let payload = [UInt8](repeating: 7, count: 64_000)
            for _ in 0..<count {
                var batch = EncodedBatch(first: head.next)
                for _ in 0..<16 { try batch.append(event(.noted, card(1), payload: payload)) }
                batch.hash(onto: &edge, withRoot: true)
                try commit.makeDurable(batch) { _ in }
                head = batch.last
            }
        }

        var storedBytes: Int { engine.entries.reduce(0) { $0 + $1.bytes.count } }
    }

    @Test("The newest entries stay, and older ones until two nodes have them")
    func keeps() throws {
        var writer = try Writer()
        try writer.append(80)
        #expect(writer.commit.untrimmedBytes == writer.storedBytes)
        try writer.commit.trim(onTwoDisks: .start)
        #expect(writer.engine.entries.count == 80)
        try writer.commit.trim(onTwoDisks: Position(10 * 16))
        #expect(writer.engine.entries.first?.first == Position(10 * 16 + 1))
        #expect(writer.commit.untrimmedBytes == writer.storedBytes)
        try writer.commit.trim(onTwoDisks: Position(80 * 16))
        let kept = LogLimits.untrimmedBytesMin
        #expect((kept..<kept + 4 << 20).contains(writer.storedBytes), "\(writer.storedBytes)")
        #expect(writer.commit.untrimmedBytes == writer.storedBytes)
        try writer.append(10)
        #expect(writer.commit.untrimmedBytes == writer.storedBytes)
        try writer.commit.trim(onTwoDisks: Position(90 * 16))
        #expect((kept..<kept + 4 << 20).contains(writer.storedBytes), "\(writer.storedBytes)")
    }

    @Test("Before a claim there is nothing to trim")
    func withoutClaim() throws {
        let commit = SharedCommit(MemorySharedLog())
        try commit.trim(onTwoDisks: Position(9))
        #expect(commit.untrimmedBytes == 0)
    }

    @Test("Short terms do not fill the shared log: entries of earlier writers count with the average size of this one's")
    func shortTerms() throws {
        let head = Head(term: 1, writer: .a, process: 1, position: Position(100), root: .ofNothing)
        var entries = OwnEntries(since: head)
        #expect(entries.end(keeping: 1_000) == .start, "no size is known yet")
        var batch = EncodedBatch(first: Position(101))
        for _ in 0..<10 { try batch.append(event(.noted, card(1))) }
        let entry = Entry(batch, term: 1, before: .ofNothing, after: .ofNothing, key: .forTests)
        entries.append(entry, leadingTo: head.advanced(by: entry))
        #expect(entries.bytes == entry.bytes.count && entries.head.position == Position(110))
        for (kept, end) in [(1, 100), (2, 90), (5, 60), (11, 0), (1_000_000, 0)] as [(Int, UInt64)] {
            #expect(entries.end(keeping: kept * entry.bytes.count) == Position(end), "\(kept) entries")
        }
    }
}
