/// A change in a read model's state between two checks, for the operator's log.
public enum ModelNews: Sendable {
    /// The model has stopped; readers still see its rows.
    case stopped(ReadModelError)
    /// A model that had stopped follows the log again, with a rebuilt generation (one build of its rows). The value is the model's name.
    case goesOn(String)
    /// A generation of the program's own schema version could not be built; readers still see the generation of an older version.
    case notRenewed(ReadModelError)
    /// The model's files were removed or damaged, or the server could not create them again.
    case lost(ReadModelError)
    /// The model's files exist again. The value is the model's name.
    case remade(String)

    /// The changes between two states of all models.
    ///
    /// - Parameters:
    ///   - old: the previous state; empty at first, so that every current failure is reported.
    ///   - new: the current state.
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
            // The files of a small model may be lost and created again between two checks. Then no check has reported the loss, so it is
            // reported here, before the recovery.
            if before?.loss == nil { news.append(.lost(model.lastLoss ?? ReadModelError(.removed, model: model.name, model.generation))) }
            news.append(.remade(model.name))
        }
        if let failure = model.renewalFailure, !failure.isTheSame(as: before?.renewalFailure) { news.append(.notRenewed(failure)) }
        return news
    }
}

extension ReadModelError {
    /// Whether this error and `other` describe the same failure. A model may recover and fail again between two checks, so the details are
    /// compared too.
    fileprivate func isTheSame(as other: ReadModelError?) -> Bool {
        other.map { $0.code == code && $0.position == position && $0.detail == detail } ?? false
    }
}
