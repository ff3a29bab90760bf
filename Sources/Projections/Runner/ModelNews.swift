/// A change in a read model's state between two checks, for the operator's log.
public enum ModelNews: Sendable {
    case stopped(ReadModelError)
    case goesOn(String)
    case notRenewed(ReadModelError)
    case lost(ReadModelError)
    case remade(String)

    /// The changes between two states of all models. An empty `old` reports every current failure.
    public static func between(_ old: [ModelStatus], _ new: [ModelStatus]) -> [ModelNews] {
        let before = Dictionary(old.map { ($0.name, $0) }, uniquingKeysWith: { _, last in last })
        return new.flatMap { news(of: $0, since: before[$0.name]) }
    }

    private static func news(of model: ModelStatus, since before: ModelStatus?) -> [ModelNews] {
        var news: [ModelNews] = []
        if let failure = model.failure {
            if !failure.isTheSame(as: before?.failure) { news.append(.stopped(failure)) }
        } else if before?.failure != nil {
            news.append(.goesOn(model.name))
        }
        if let loss = model.loss {
            if !loss.isTheSame(as: before?.loss) { news.append(.lost(loss)) }
        } else if before?.loss != nil || model.remade > (before?.remade ?? 0) {
            // A small model may be lost and recovered between two checks. The loss is reported before the recovery.
            if before?.loss == nil { news.append(.lost(model.lastLoss ?? ReadModelError(.removed, model: model.name, model.generation))) }
            news.append(.remade(model.name))
        }
        if let failure = model.renewalFailure, !failure.isTheSame(as: before?.renewalFailure) { news.append(.notRenewed(failure)) }
        return news
    }
}

extension ReadModelError {
    /// Compares details too, because a model may recover and fail again between two checks.
    fileprivate func isTheSame(as other: ReadModelError?) -> Bool {
        other.map { $0.code == code && $0.position == position && $0.detail == detail } ?? false
    }
}
