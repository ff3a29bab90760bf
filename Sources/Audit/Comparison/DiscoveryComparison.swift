public import EventLog
internal import Projections
internal import ReadModels
internal import Search

/// Compares the search database with the log, row by row.
///
/// The same code builds a second database in memory. So this proves the stored rows and not the code, which tests check. SQLite also checks
/// its pages and its R*Tree. Rows that depend on keys are not compared.
public struct DiscoveryComparison {
    private let models: String
    private let log: EventLog

    public init(models: String, log: EventLog) { (self.models, self.log) = (models, log) }

    /// - Parameter step: called with the position that the comparison has reached; an error that it throws ends the comparison.
    public func verdict(step: (Position) throws(AuditError) -> Void = { _ in }) throws(AuditError) -> ModelVerdict {
        do {
            let stored = try DiscoveryContent.stored(in: models)
            let position = stored.mark.position
            guard (try? ModelMark(position, in: log)) == stored.mark else {
                return .different(.foreign(model: Discovery.name, position: position, in: log))
            }
            let expected = try DiscoveryContent.replayed(log, through: position) { try step($0) }
            if let difference = Self.difference(stored, expected) { return .different(difference) }
            return .equal(position: position, rows: stored.rows)
        } catch {
            if let error = error as? ReadModelError, error.code == .damaged {
                return .different(.damaged(model: Discovery.name, error.detail))
            }
            throw AuditError(any: error)
        }
    }

    /// The first row at which two databases differ.
    static func difference(_ stored: DiscoveryContent, _ expected: DiscoveryContent) -> ModelDifference? {
        for (left, right) in zip(stored.tables, expected.tables) where left.lines != right.lines {
            let place = zip(left.lines, right.lines).prefix { $0 == $1 }.count
            var (found, wanted) = (left.lines.dropFirst(place).first, right.lines.dropFirst(place).first)
            if let row = found, let other = wanted, row.key != other.key {
                // In the same order, the row that comes first is missing from the other table.
                if right.lines.contains(where: { $0.key == row.key }) { found = nil } else { wanted = nil }
            }
            let kind: ModelDifference.Kind = found == nil ? .missingRow : wanted == nil ? .extraRow : .changedRow
            return ModelDifference(
                kind, model: Discovery.name, position: stored.mark.position, table: left.name, key: (wanted ?? found)?.key,
                stored: found?.value, expected: wanted?.value)
        }
        return nil
    }
}
