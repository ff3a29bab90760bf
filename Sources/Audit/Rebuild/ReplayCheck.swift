internal import EventLog
internal import LMDB
internal import Projections
internal import ReadModels
internal import Search

/// Compares a newly built generation with a replay of the log at the same position.
struct ReplayCheck {
    let log: EventLog
    /// If false, only the digest of the content is computed.
    let replays: Bool

    func check<Model: Projection>(_ type: Model.Type) -> ContentCheck {
        ContentCheck { (store, position) throws(ReadModelError) in
            do { return try verdict(type, store, position) } catch { throw Self.error(error, Model.name) }
        }
    }

    func check(_ content: DiscoveryContent) throws(ReadModelError) {
        guard replays else { return }
        do {
            let expected = try DiscoveryContent.replayed(log, through: content.mark.position)
            guard let difference = DiscoveryComparison.difference(content, expected) else { return }
            throw ReadModelError(
                .mismatch, model: Discovery.name, position: content.mark.position,
                "digest \(content.digest), a replay gives \(expected.digest); \(difference)")
        } catch let error as ReadModelError { throw error } catch { throw Self.error(AuditError(any: error), Discovery.name) }
    }

    private func verdict<Model: Projection>(_ type: Model.Type, _ store: ModelStore, _ position: Position) throws -> ContentCheck.Verdict {
        let tables = try Model.tables.map { try store.table($0) }
        let stored = try ModelDigest(of: type, in: store, tables)
        if replays {
            let replay = try Replay(of: log, until: .position(position), models: [Model.name])
            let expected = ModelDigest(of: replay, model: type)
            if stored != expected {
                // The first row that differs helps to find the cause.
                let difference = try replay.firstDifference(from: store, tables, of: type)?.difference(of: type, at: replay.position)
                throw ReadModelError(
                    .mismatch, model: Model.name, position: position,
                    "digest \(stored.hex), a replay gives \(expected.hex); \(difference.map { "\($0)" } ?? "no row differs")")
            }
        }
        return ContentCheck.Verdict(digest: stored.hex, rows: stored.rows)
    }

    private static func error(_ error: any Error, _ model: String) -> ReadModelError {
        guard let error = error as? AuditError else { return ReadModelError(any: error, model: model) }
        let code: ReadModelError.Code = error.code == .event ? .eventRefused : .log
        return ReadModelError(code, model: model, position: error.position, error.detail)
    }
}
