/// What became of a read model between two looks at where the models stand: what an operator should read in the log of the service.
public enum ModelNews: Sendable {
    /// It has stopped; what it had is still served.
    case stopped(ReadModelError)
    /// It had stopped and goes on, since a rebuilt generation took its place. The model's name.
    case goesOn(String)
    /// No generation of the program's own schema version could be built; the older one is served.
    case notRenewed(ReadModelError)

    /// What is new.
    ///
    /// - Parameters:
    ///   - old: what the last look saw; empty at first, so that whatever is wrong then is news.
    ///   - new: what this one sees.
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
        if let failure = model.renewalFailure, !failure.isTheSame(as: before?.renewalFailure) { news.append(.notRenewed(failure)) }
        return news
    }
}

extension ReadModelError {
    /// Whether it tells of the same thing: a model may fail anew between two looks.
    fileprivate func isTheSame(as other: ReadModelError?) -> Bool {
        other.map { $0.code == code && $0.position == position && $0.detail == detail } ?? false
    }
}
