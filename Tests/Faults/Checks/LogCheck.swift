package import EventLog
internal import Glibc
internal import Merkle

/// Checks a folder against its child's acknowledgements: every acknowledged event is stored unchanged and in order, the index finds it, and
/// the log accepts further events.
package struct LogCheck: Sendable {
    /// The result of a check.
    package enum Outcome: Hashable, Sendable {
        /// All acknowledged events are present, and perhaps later whole batches. The value is the last position.
        case whole(Position)
        /// A condition is violated; the value describes which.
        case broken(String)
    }

    /// The events that the child's seed produces, as they should be stored.
    let expected: ExpectedLog
    /// The child's last acknowledgement; nil if there was none.
    let acknowledged: Acknowledgement?

    /// Creates the check of one folder.
    package init(_ expected: ExpectedLog, acknowledged: Acknowledgement?) {
        self.expected = expected
        self.acknowledged = acknowledged
    }

    /// Computes the log's Merkle tree from its records and compares every stored hash. Throws a description of the first difference.
    package static let verifyTree: @Sendable (EventLog) throws -> Void = { log in
        var edge = TreeEdge()
        var wanted: [TreeEntry] = []
        try log.scan { _, record in
            edge.append(record.bytes, completing: &wanted)
            return true
        }
        guard edge.root == (try log.root()) else { throw FaultError("the tree's root is not that of the records") }
        for entry in wanted {
            let stored = try log.tree.hash(level: entry.level, index: entry.index)
            guard stored == entry.hash else { throw FaultError("hash \(entry.index) of level \(entry.level) is another one") }
        }
    }

    /// Opens the log, checks all of it, appends events, and opens it again.
    package func outcome(of folders: LogFolders) -> Outcome {
        do { return .whole(try check(folders)) } catch let error as EventLogError {
            return .broken("\(error)")
        } catch { return .broken("\(error)") }
    }

    private func check(_ folders: LogFolders) throws -> Position {
        try DerivedRows(in: folders.rows).check()
        let head = try checkAndAppend(folders)
        let again = try folders.open(.readOnly)
        guard again.head == head.next else { throw FaultError("opened again the head is \(again.head), not \(head.next)") }
        try checkRecords(again, through: head)
        return head
    }

    private func checkAndAppend(_ folders: LogFolders) throws -> Position {
        let log = try folders.open()
        let head = log.head
        try checkHead(head)
        try checkRecords(log, through: head)
        try checkIndex(log, through: head)
        try Self.verifyTree(log)
        try append(to: log)
        try Self.verifyTree(log)
        try log.close()
        return head
    }

    private func checkHead(_ head: Position) throws(FaultError) {
        if let acknowledged {
            guard expected.agrees(with: acknowledged) else { throw FaultError("the child acknowledged another history") }
            let isThere = head >= acknowledged.head
            guard isThere else { throw FaultError("\(acknowledged.head) was acknowledged, but the head is \(head)") }
        }
        guard expected.isBatchEnd(head) else { throw FaultError("the head \(head) is no end of a batch") }
    }

    /// Compares every byte of every record. The scan itself detects gaps.
    private func checkRecords(_ log: EventLog, through head: Position) throws {
        var count: UInt64 = 0
        try log.scan(through: head) { position, record in
            count += 1
            let isEqual = Self.areEqual(record.bytes, expected.records[Int(position.rawValue) - 1])
            guard position.rawValue == count, isEqual else { throw FaultError("the record at \(position) is another one") }
            return true
        }
        guard count == head.rawValue else { throw FaultError("\(count) records, but the head is \(head)") }
    }

    /// Compares the index's answers with the records, for every existing tag and for one that does not exist.
    private func checkIndex(_ log: EventLog, through head: Position) throws {
        for (tag, positions) in expected.positions {
            let found = try log.positions(matching: .tags(tag)), wanted = Array(positions.prefix { $0 <= head })
            guard found == wanted else { throw FaultError("\(found.count) events of \(tag), not \(wanted.count), or other ones") }
            guard try log.lastPosition(of: tag) == wanted.last else { throw FaultError("another last event of \(tag)") }
        }
        // While runs are damaged, look-ups answer from the log. So the answers alone would not reveal a manifest that names unflushed runs.
        let damages = log.indexStatus?.damagesFound ?? 0
        guard damages == 0 else { throw FaultError("\(damages) runs of the index are not what was written") }
        let none = try log.positions(matching: .tags(Tag(.card, 0)))
        guard none.isEmpty else { throw FaultError("\(none.count) events of a card that there is not") }
    }

    private func append(to log: EventLog) throws {
        let appender = try log.appender()
        let tag = Tag(.card, 0)
        try appender.stage(NewEvent(type: .noted, time: Timestamp(microseconds: 2), tags: [tag], payload: [1, 2, 3]))
        let head = try appender.commit()
        let found = try log.events(matching: .tags(tag))
        guard found.map(\.position) == [head], found.first?.event.payload == [1, 2, 3] else {
            throw FaultError("what was appended after it is not found")
        }
    }

    private static func areEqual(_ left: Span<UInt8>, _ right: [UInt8]) -> Bool {
        guard left.count == right.count else { return false }
        // SAFETY: both buffers have `left.count` bytes, and neither pointer is kept.
        return unsafe left.withUnsafeBufferPointer { left in
            unsafe right.withUnsafeBufferPointer { right in
                guard let from = left.baseAddress, let to = right.baseAddress else { return true }
                return unsafe memcmp(from, to, left.count) == 0
            }
        }
    }
}
