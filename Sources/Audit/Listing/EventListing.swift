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
        var (count, reached) = (0, Position.start)
        do {
            let through = bound.through(log.head)
            while reached < through {
                let page = read(log, after: reached, through: min(through, Position(reached.rawValue + LogLimits.snapshotRecordsMax)))
                for fact in page.facts {
                    count += 1
                    if try !body(fact) { return count }
                }
                if let failure = page.failure { throw failure }
                if page.isLast { return count }
                reached = page.reached
            }
        } catch {
            throw AuditError(any: error)
        }
        return count
    }

    /// Events read from one stretch of the log.
    private struct Page {
        var facts: [Fact] = []
        var reached: Position
        var isLast = false
        /// Kept until those before it are handed out.
        var failure: (any Error)?
    }

    /// Reads before anything is handed out: a reader of standard output may let the program wait for hours, and no snapshot may last so
    /// long.
    private func read(_ log: EventLog, after: Position, through: Position) -> Page {
        var page = Page(reached: through)
        do {
            try log.scan(after: after, through: through) { (position, record) in
                if bound.ends(before: record) {
                    page.isLast = true
                    return false
                }
                if let type, record.type != type { return true }
                if let tag, !record.has(tag) { return true }
                page.facts.append(try LoyaltyCodec.decode(record, at: position))
                return true
            }
        } catch { page.failure = error }
        return page
    }
}
