import EventLog
import Loyalty
import LoyaltyCodec

extension FuzzTarget {
    static func checkRecord(_ bytes: [UInt8]) throws(BrokenProperty) {
        guard let record = Record(bytes.span) else { return }
        try BrokenProperty.unless(encoded(record.event), is: bytes, "the record written again")
        for index in 0..<record.tagCount {
            let tag = record.tag(at: index)
            try BrokenProperty.unless(record.has(tag) && record.value(of: tag.kind) != nil, is: true, "it has its tag \(index)")
        }
    }

    /// Checks that a decoded event, encoded again, decodes to the same event. The bytes may differ, because Protocol Buffers allow several
    /// encodings of one message (another order of fields, or repeated fields), and the codec accepts all of them.
    static func checkEvent(_ bytes: [UInt8]) throws(BrokenProperty) {
        guard let record = Record(bytes.span), let fact = try? LoyaltyCodec.decode(record, at: Position(1)) else { return }
        _ = FactText.json(fact)
        let mark = LoyaltyCodec.mark(of: record)
        let written = try? LoyaltyCodec.encode(fact.event, by: fact.actor, at: fact.time, mark: mark)
        guard let written = written.flatMap(encoded), let again = Record(written.span) else {
            throw BrokenProperty(description: "what was read cannot be written: \(fact)")
        }
        try BrokenProperty.unless(try? LoyaltyCodec.decode(again, at: Position(1)), is: fact, "the event read again")
        try BrokenProperty.unless(LoyaltyCodec.mark(of: again), is: mark, "its request read again")
    }

    private static func encoded(_ event: NewEvent) -> [UInt8]? {
        var bytes: [UInt8] = []
        do { try RecordEncoder.append(event, to: &bytes) } catch { return nil }
        return bytes
    }
}
