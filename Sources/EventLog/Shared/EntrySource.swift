/// A place from which a node reads entries: a ``SharedLog``, or another node.
///
/// Any thread may call.
package protocol EntrySource: Sendable {
    /// The stored bytes of the entries that end after a position, in their order: at least one if there is any, and otherwise at most
    /// `bytes` bytes. If it has more than fit, it MUST fill half of that: a follower takes a shorter answer for all there is.
    ///
    /// The first may begin earlier than the next position, and may begin later, because the entries between were trimmed. Nothing in the
    /// bytes is checked.
    ///
    /// May wait for an entry, and is empty if there is none by then. It blocks its thread, but MUST return within five seconds, because
    /// ``LogFollower/stop()`` waits for it.
    ///
    /// - Throws: ``EventLogError`` `.unreachable` without an answer, so that the caller asks again; `.trimmed` if it has later events, but
    ///   no later entry. Other errors are final: `.engineBehind` if a shared log, `.afterBeyondHead` if a node has fewer events.
    func entries(after position: Position, bytes: Int) throws(EventLogError) -> [[UInt8]]
}

extension EventLogError {
    /// A shared log ends earlier than the log of a node that reads it.
    package init(engineAt head: Position, behind position: Position) {
        self.init(.engineBehind, "the shared log ends at \(head), this node's log at \(position).", position: head)
    }

    /// A source has no entries of these events.
    package init(trimmed events: ClosedRange<Position>) {
        let detail = """
            the events \(events.lowerBound) to \(events.upperBound) are no longer where this node reads entries. Start the nodes that have \
            them, or begin this one anew with a newer backup.
            """
        self.init(.trimmed, detail, position: events.lowerBound)
    }
}

extension EventLog {
    /// An entry of the events after a position, with term 0, for a follower of this log; nil at the head.
    ///
    /// Its records have the tree's stored roots, so a follower finds a record that was damaged here.
    ///
    /// - Parameter bytes: the maximum size, but no more than ``LogLimits/sharedBatchBytesMax``. An event that needs more has an entry for
    ///   itself.
    /// - Throws: ``EventLogError`` `.afterBeyondHead` if this log has fewer events, `.damaged`, `.storage`.
    package func entry(after position: Position, bytes: Int, key: EntryKey) throws(EventLogError) -> Entry? {
        try PositionRange.check(after: position, head: head)
        let batch = try batch(after: position, bytes: min(bytes, LogLimits.sharedBatchBytesMax))
        if batch.isEmpty { return nil }
        return Entry(batch, term: 0, before: try root(through: position), after: try root(through: batch.last), key: key)
    }

    private func batch(after position: Position, bytes: Int) throws(EventLogError) -> EncodedBatch {
        var batch = EncodedBatch(first: position.next)
        do {
            try scan(after: position) { _, record in
                let size = Entry.sealBytes + batch.byteCount + record.bytes.count + Entry.lengthBytes * (batch.count + 1)
                if !batch.isEmpty, size > bytes { return false }
                batch.append(record: record.bytes)
                return true
            }
        } catch { throw EventLogError(any: error) }
        return batch
    }
}
