public import Audit
internal import Foundation
internal import LMDB

/// Which backups may go: those that no kept chain needs.
///
/// The newest full backups are kept, so many as asked for, and every increment that goes on from one of them. Only backups that are good
/// count, and only good ones go: one that is damaged, of another log, or ahead of the log is for a person to look at.
public struct Retention: Sendable {
    /// The full backups that are kept, newest first, and what goes on from them.
    public let kept: [BackupList.Copy]
    /// Increments before the backups that they go on from, so that an end halfway leaves no chain without its beginning.
    public let removable: [BackupList.Copy]

    /// - Parameter count: full backups to keep; at least one is kept.
    public init(of list: BackupList, keeping count: Int) {
        let good = list.copies.filter { if case .good = $0.standing { true } else { false } }
        let full = good.filter { $0.kind == .full }.sorted { ($0.events, $0.path) > ($1.events, $1.path) }
        let bases = Set(full.prefix(max(1, count)).map(\.path))
        let isKept = { (copy: BackupList.Copy) in copy.chain.first.map(bases.contains) ?? false }
        let kept = good.filter(isKept)
        let needed = Set(kept.flatMap(\.chain))
        self.kept = kept
        removable = good.filter { !needed.contains($0.path) }.sorted { ($0.chain.count, $0.events) > ($1.chain.count, $1.events) }
    }

    /// Removes what may go.
    ///
    /// - Throws: ``AuditError/Code/output``; what was removed before stays removed.
    public func prune() throws(AuditError) {
        for copy in removable {
            let partial = PartialName.of(copy.path)
            do {
                if FileManager.default.fileExists(atPath: partial) { try FileManager.default.removeItem(atPath: partial) }
                // A crash behind this leaves an unfinished folder, which the next attempt of a backup removes.
                try DurableNames.move(copy.path, to: partial)
                try FileManager.default.removeItem(atPath: partial)
            } catch { throw AuditError(writing: copy.path, error) }
        }
    }
}
