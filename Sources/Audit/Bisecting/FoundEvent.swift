internal import EventLog
internal import Loyalty
internal import LoyaltyCodec

/// An event that something goes back to, as it is shown.
struct FoundEvent {
    let position: Position
    /// The type's name, or its number where the log has no name for it.
    let type: String
    /// Nil where it does not decode.
    let line: String?

    init(_ position: Position, in log: EventLog) throws(AuditError) {
        do throws(EventLogError) {
            var fact: Fact?
            let type = try log.withRecord(at: position) { (record) throws(EventLogError) in
                fact = try? LoyaltyCodec.decode(record, at: position)
                return record.type
            }
            line = fact.map { FactText.line($0) }
            self.type = type.map { log.name(of: $0) ?? "type \($0.rawValue)" } ?? "nothing"
            self.position = position
        } catch {
            throw AuditError(any: error)
        }
    }
}
