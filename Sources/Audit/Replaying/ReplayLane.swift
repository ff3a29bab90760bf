internal import EventLog
internal import ReadModels

/// Models that are folded by one thread.
struct ReplayLane: Sendable {
    private var models: [any ReplayedModel]

    init(_ models: [any ReplayedModel]) {
        self.models = models
    }

    /// What a model must hold; nil where it is not of this lane.
    func model(named name: String) -> (any ReplayedModel)? {
        models.first { type(of: $0).model.name == name }
    }

    /// Lets each model have a batch.
    ///
    /// - Returns: the refusal at the least position; the lane is of no use then.
    mutating func apply(_ batch: borrowing ReplayBatch) -> AuditError? {
        var failure: AuditError?
        for index in models.indices {
            do { try models[index].apply(batch) } catch { failure = AuditError.first(failure, error) }
        }
        return failure
    }
}

extension AuditError {
    /// The one at the lesser position.
    static func first(_ one: AuditError?, _ other: AuditError?) -> AuditError? {
        guard let one, let other else { return one ?? other }
        return (other.position ?? .start) < (one.position ?? .start) ? other : one
    }
}
