internal import EventLog
internal import Loyalty
internal import ReadModels

/// What one read model must hold, folded from the log in memory: written a second time, and plainer, so that the two check each other.
///
/// It is a value: a copy stays where it was. A new read model needs one of these, and a place in ``ReplayFold``.
protocol ReplayedModel: Sendable {
    /// The model whose content this is.
    static var model: any Projection.Type { get }

    /// Applies events in their order, and passes over those that are none of the model's.
    ///
    /// - Throws: ``AuditError/Code/event`` for one that no rule could have let pass; the model is of no use then.
    mutating func apply(_ batch: borrowing ReplayBatch) throws(AuditError)

    /// The model's tables in their order.
    ///
    /// - Parameter cards: all that were opened, in the orders that tables want.
    func tables(_ cards: CardOrders) -> [CanonicalTable]
}

extension AuditError {
    /// An event that the log's rules exclude.
    static func refused(_ detail: String, at position: UInt64) -> AuditError {
        AuditError(
            .event, detail, position: Position(position),
            remedy: "The log is not one that this program's rules could have written; compare it with a backup.")
    }
}
