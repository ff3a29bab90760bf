package import EventLog

/// The expected records of a seed's log at each position, and the ends of its batches.
package struct ExpectedLog: Sendable {
    /// The record at each position; index 0 is the first position.
    package private(set) var records: [[UInt8]] = []
    /// For the last position of each batch, the digest of all records through that position. Position 0 stands for the empty log.
    package private(set) var digests: [Position: UInt64] = [.start: RunningDigest().value]
    /// The positions of each indexed tag's events.
    package private(set) var positions: [Tag: [Position]] = [:]

    /// Creates the expected log of a seed after this many commits.
    ///
    /// - Throws: if the history contains an event that cannot be stored, which is a bug in the history.
    package init(seed: UInt64, commits: Int) throws(EventLogError) {
        var history = FaultHistory(seed: seed)
        var digest = RunningDigest()
        for _ in 0..<commits {
            for event in history.nextBatch() { try append(event, &digest) }
            digests[head] = digest.value
        }
    }

    /// The last position of the expected log.
    package var head: Position { Position(UInt64(records.count)) }

    /// Whether a log may end at this position. Batches are stored completely or not at all.
    package func isBatchEnd(_ position: Position) -> Bool { digests[position] != nil }

    /// Whether an acknowledgement matches the expected records.
    package func agrees(with said: Acknowledgement) -> Bool { digests[said.head] == said.digest }

    private mutating func append(_ event: NewEvent, _ digest: inout RunningDigest) throws(EventLogError) {
        var record: [UInt8] = []
        try RecordEncoder.append(event, to: &record)
        digest.add(record.span)
        records.append(record)
        for tag in event.tags where Schema.faults.tagKinds[tag.kind]?.isIndexed ?? false {
            positions[tag, default: []].append(head)
        }
    }
}
