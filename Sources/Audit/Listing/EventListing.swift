public import EventLog
public import Loyalty
internal import LoyaltyCodec
internal import ReadModels

/// The events of a log that somebody asks for, in order.
public struct EventListing: Sendable {
    /// Only this type; nil for all.
    public var type: EventType?
    /// Only events with this tag, indexed or not; nil for all.
    public var tag: Tag?
    /// Where to end.
    public var bound: ReplayBound

    public init(type: EventType? = nil, tag: Tag? = nil, until bound: ReplayBound = .head) {
        (self.type, self.tag, self.bound) = (type, tag, bound)
    }

    /// Calls `body` with each event until it returns false.
    ///
    /// It scans, and asks no index: a log opened for reading only has none, and a scan passes millions of records a second.
    ///
    /// - Returns: how many events were handed out.
    /// - Throws: ``AuditError/Code/log``, ``AuditError/Code/event``; what `body` throws comes as ``AuditError/Code/log``.
    @discardableResult
    public func forEach(in log: EventLog, _ body: (Fact) throws -> Bool) throws(AuditError) -> Int {
        var count = 0
        do {
            let through = bound.through(log.head)
            guard through > .start else { return 0 }
            try log.scan(after: .start, through: through) { (position, record) in
                if bound.ends(before: record) { return false }
                if let type, record.type != type { return true }
                if let tag, !record.has(tag) { return true }
                count += 1
                return try body(try LoyaltyCodec.decode(record, at: position))
            }
        } catch {
            throw AuditError(any: error)
        }
        return count
    }
}
