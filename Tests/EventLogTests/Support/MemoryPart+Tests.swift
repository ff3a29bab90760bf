@testable import EventLog

extension MemoryPart {
    /// Adds an event of the type `stamped` with these tags.
    mutating func insert(_ tags: [Tag], at position: UInt64) throws {
        var bytes: [UInt8] = []
        try RecordEncoder.append(NewEvent(type: .stamped, time: Timestamp(microseconds: 0), tags: tags), to: &bytes)
        guard let record = Record(bytes.span) else { throw EventLogError(.damaged, "no record") }
        insert(record, at: position, kinds: IndexedKinds(.forTests))
    }
}
