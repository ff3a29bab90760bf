internal import EventLog
internal import ReadModels

/// Models that are folded by one thread.
struct ReplayLane: Sendable {
    private var models: [any ReplayedModel]
    /// Who has which number; nil for a lane that gets batches behind the one that numbers them.
    private(set) var numbers: ReplayedNumbers?

    init(_ models: [any ReplayedModel], numbers: ReplayedNumbers? = nil) {
        (self.models, self.numbers) = (models, numbers)
    }

    /// What a model must hold; nil where it is not of this lane.
    func model(named name: String) -> (any ReplayedModel)? {
        models.first { type(of: $0).model.name == name }
    }

    /// Numbers what a batch names, where that is this lane's, and lets each model have it; without numbers nobody gets it.
    ///
    /// - Returns: the refusal at the least position; the lane is of no use then.
    mutating func apply(_ batch: inout ReplayBatch) -> AuditError? {
        var failure = numbers?.resolve(&batch)
        guard batch.isNumbered else { return nil }
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
