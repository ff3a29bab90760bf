public import Audit
public import EventLog
public import Loyalty
internal import LoyaltyCodec
internal import ReadModels

/// The events of a log that have a requested type and a requested tag, oldest first.
public struct EventListing: Sendable {
    public var type: EventType?
    /// The tag may be of a kind that the tag index lacks.
    public var tag: Tag?
    public var bound: ReplayBound

    public init(type: EventType? = nil, tag: Tag? = nil, until bound: ReplayBound = .head) {
        (self.type, self.tag, self.bound) = (type, tag, bound)
    }

    /// Scans the log, compares each record with its hash in the tree, and calls `body` until it returns false.
    ///
    /// - Throws: ``AuditError/Code/damaged`` at a changed record, ``AuditError/Code/log``, ``AuditError/Code/event``; an error of `body`
    ///   becomes ``AuditError/Code/log`` unless it is an ``AuditError``.
    @discardableResult
    public func forEach(in log: EventLog, _ body: (Fact) throws -> Bool) throws(AuditError) -> Int {
        try forEach(in: log, where: selects, body)
    }

    /// Whether a record has the requested type and tag.
    func selects(_ record: borrowing Record) -> Bool {
        if let type, record.type != type { return false }
        if let tag { return record.has(tag) }
        return true
    }

    fileprivate func forEach(
        in log: EventLog, where isSelected: (borrowing Record) -> Bool, _ body: (Fact) throws -> Bool
    ) throws(AuditError) -> Int {
        var (count, reached) = (0, Position.start)
        do {
            let through = bound.through(log.head)
            while reached < through {
                let end = min(through, Position(reached.rawValue + LogLimits.snapshotRecordsMax))
                let page = read(log, after: reached, through: end, isSelected)
                for fact in page.facts {
                    count += 1
                    if try !body(fact) { return count }
                }
                if let failure = page.failure { throw failure }
                if page.isLast { return count }
                reached = page.reached
            }
        } catch { throw AuditError(any: error) }
        return count
    }

    private struct Page {
        var facts: [Fact] = []
        var reached: Position
        var isLast = false
        /// Thrown after the events before it were processed.
        var failure: (any Error)?
    }

    /// A whole range is read before it is printed, because standard output may block for hours, and a snapshot must not last that long.
    private func read(_ log: EventLog, after: Position, through: Position, _ isSelected: (borrowing Record) -> Bool) -> Page {
        var page = Page(reached: through)
        do {
            try log.comparedScan(after: after, through: through) { (position, record) in
                if bound.ends(before: record) {
                    page.isLast = true
                    return false
                }
                if isSelected(record) { page.facts.append(try LoyaltyCodec.decode(record, at: position)) }
                return true
            }
        } catch { page.failure = error }
        return page
    }
}

/// The history of one object: every event that names it, and every event that an account caused.
public struct LifeOf: Sendable {
    private let tags: [Tag]
    /// The account whose own events are included.
    private let actor: UInt128?

    /// Reads `card:card_01…`, `card:` and 32 hexadecimal digits, or the id alone.
    public init?(_ text: String) {
        guard let tag = Tag(text: text) ?? Self.tag(ofID: text), Self.kinds.contains(tag.kind) else { return nil }
        actor = tag.kind == .account ? tag.value : nil
        tags = tag.kind == .review ? [tag, Tag(.parent, tag.value), Tag(.thread, tag.value)] : [tag]
    }

    private static let kinds: Set<TagKind> = [
        .card, .code, .shop, .campaign, .account, .redemption, .review, .image, .notice, .invitation, .session, .print, .paper,
    ]

    /// Nil for an id without a prefix, which could be of any kind.
    private static func tag(ofID text: String) -> Tag? {
        guard text.contains("_") else { return nil }
        return kinds.lazy.compactMap { LoyaltySchema.schema.tagKinds[$0]?.name }.compactMap { Tag(text: "\($0):\(text)") }.first
    }

    /// Calls `body` with each event as a line until it returns false. Returns their number.
    ///
    /// - Throws: ``AuditError/Code/damaged`` at a changed record, ``AuditError/Code/log``, ``AuditError/Code/event``.
    public func forEach(in log: EventLog, json: Bool, since: Timestamp? = nil, _ body: (String) -> Bool) throws(AuditError) -> Int {
        func isOfLife(_ record: borrowing Record) -> Bool {
            if let since, record.time < since { return false }
            return isOf(record)
        }
        return try EventListing().forEach(in: log, where: isOfLife) { body(json ? FactText.json($0) : FactText.line($0)) }
    }

    private func isOf(_ record: borrowing Record) -> Bool {
        if let actor, record.actor == actor { return true }
        for tag in tags where record.has(tag) { return true }
        return false
    }
}
