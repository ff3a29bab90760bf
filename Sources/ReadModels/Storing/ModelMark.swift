package import EventLog

/// How far a model has come, and in which log.
package struct ModelMark: Hashable, Sendable {
    /// The last event that it reflects.
    package let position: Position
    /// A short hash of the record there. A model whose mark does not fit the log was built from another one, or from a part
    /// that was rolled back, and is built anew.
    package let fingerprint: UInt64

    package static let start = ModelMark(position: .start, fingerprint: 0)

    package init(position: Position, fingerprint: UInt64) {
        self.position = position
        self.fingerprint = fingerprint
    }

    /// The mark at a position of a log; nil where the log has no such event.
    package init?(_ position: Position, in log: EventLog) throws(EventLogError) {
        guard position > .start else {
            self = .start
            return
        }
        let hash = try log.withRecord(at: position) { (record) throws(EventLogError) in Self.hash(record.bytes) }
        guard let hash else { return nil }
        self.init(position: position, fingerprint: hash)
    }

    /// FNV-1a, 64 bits: enough to tell logs apart, no protection against forgery.
    private static func hash(_ bytes: Span<UInt8>) -> UInt64 {
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        for index in bytes.indices { hash = (hash ^ UInt64(bytes[index])) &* 0x100_0000_01B3 }
        return hash
    }
}
