internal import EventLog
internal import Loyalty
internal import ReadModels

/// What one read model must hold, folded from the log in memory: written a second time, and plainer, so that the two check each other.
///
/// It is a value: a copy stays where it was. A new read model needs one of these, and a place in ``ReplayLane/all(_:capacity:)``.
protocol ReplayedModel: Sendable {
    /// The model whose content this is.
    static var model: any Projection.Type { get }

    /// Applies one event of the model's types straight from its record, where that saves decoding the hottest ones.
    ///
    /// - Returns: false where nothing was done and ``apply(_:)`` is to be called.
    mutating func applyUndecoded(_ record: borrowing Record, at position: Position) -> Bool

    /// Applies one event of the model's types.
    ///
    /// - Throws: ``AuditError/Code/event`` for one that no rule could have let pass.
    mutating func apply(_ fact: Fact) throws(AuditError)

    /// The model's tables in their order.
    var tables: [CanonicalTable] { get }
}

extension ReplayedModel {
    mutating func applyUndecoded(_ record: borrowing Record, at position: Position) -> Bool { false }

    /// An event that the log's rules exclude.
    static func refused(_ detail: String, at position: UInt64) -> AuditError {
        AuditError(
            .event, detail, position: Position(position),
            remedy: "The log is not one that this program's rules could have written; compare it with a backup.")
    }
}
