internal import EventLog
internal import Loyalty
internal import LoyaltyCodec
internal import ReadModels

/// Finds the events of one thing: through the tag index as far as it goes, else by looking at every record.
///
/// It belongs to one thread.
final class PastEvents {
    private let log: EventLog
    private var index: StoredIndex?
    /// Records that were looked at one by one.
    private(set) var scanned: UInt64 = 0

    init(_ log: EventLog, index: StoredIndex?) {
        (self.log, self.index) = (log, index)
    }

    /// Calls `body` with the events of some types in the order of the log.
    ///
    /// - Parameters:
    ///   - tag: nil for everybody's.
    ///   - after: exclusive.
    ///   - through: inclusive.
    func forEach(
        _ tag: Tag?, _ types: Set<EventType>, after: Position, through: Position, _ body: (Fact) throws -> Void
    ) throws {
        guard after < through else { return }
        guard let tag, let index, index.covered > after else { return try scan(tag, types, after: after, through: through, body) }
        let found: [UInt64]
        do {
            found = try index.positions(of: tag, types: Array(types), after: after, through: through)
        } catch {
            // The index is derived; the log has it all.
            self.index = nil
            return try scan(tag, types, after: after, through: through, body)
        }
        for position in found { try visit(Position(position), tag, types, body) }
        try scan(tag, types, after: min(index.covered, through), through: through, body)
    }

    /// What an index proposes is compared with what was asked for.
    private func visit(_ position: Position, _ tag: Tag, _ types: Set<EventType>, _ body: (Fact) throws -> Void) throws {
        guard let event = try log.event(at: position), types.contains(event.event.type), event.event.tags.contains(tag) else { return }
        try body(try LoyaltyCodec.decode(event))
    }

    private func scan(
        _ tag: Tag?, _ types: Set<EventType>, after: Position, through: Position, _ body: (Fact) throws -> Void
    ) throws {
        guard after < through else { return }
        scanned += through.rawValue - after.rawValue
        let wanted = TypeFilter(types)
        try log.scan(after: after, through: through) { (position, record) in
            guard wanted.contains(record.type) else { return true }
            if let tag, !record.has(tag) { return true }
            try body(try LoyaltyCodec.decode(record, at: position))
            return true
        }
    }
}
