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

    /// What decodes is what would be written: no second way to say the same.
    static func checkEvent(_ bytes: [UInt8]) throws(BrokenProperty) {
        guard let record = Record(bytes.span), let fact = try? LoyaltyCodec.decode(record, at: Position(1)) else { return }
        _ = FactText.json(fact)
        let mark = LoyaltyCodec.mark(of: record)
        let again = try? LoyaltyCodec.encode(fact.event, by: fact.actor, at: fact.time, mark: mark)
        try BrokenProperty.unless(again.flatMap(encoded), is: bytes, "the event written again")
    }

    private static func encoded(_ event: NewEvent) -> [UInt8]? {
        var bytes: [UInt8] = []
        do { try RecordEncoder.append(event, to: &bytes) } catch { return nil }
        return bytes
    }
}
