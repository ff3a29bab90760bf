public import Audit
internal import Foundation
internal import LMDB

/// Decides which backups may be removed: the oldest full backups, each with its increments.
///
/// A chain is kept if one of its increments restores to a later position than all backups that are kept in any case. Only good backups are
/// counted or removed. A damaged, foreign or ahead backup is left for a person to examine, and an increment stays while its full backup is
/// not good, because another copy of the full backup may make it restorable.
public struct Retention: Sendable {
    /// In the order of ``BackupList/copies``.
    public let kept: [BackupList.Copy]
    /// Each increment comes before its parent, so that an interrupted removal leaves no increment without its parent.
    public let removable: [BackupList.Copy]
    private let newest: BackupList.Copy?

    public init(of list: BackupList, keeping count: Int) {
        let good = list.good
        let full = good.filter { $0.kind == .full }.sorted { ($0.events, $0.path) > ($1.events, $1.path) }
        let bases = Set(full.prefix(max(1, count)).map(\.path))
        let isOf = { (copy: BackupList.Copy, fulls: Set<String>) in copy.chain.first.map(fulls.contains) ?? false }
        let reach = good.filter { isOf($0, bases) }.map(\.events).max() ?? 0
        let needed = bases.union(good.filter { $0.events > reach }.compactMap { $0.chain.first })
        let going = Set(full.map(\.path)).subtracting(needed)
        kept = good.filter { !isOf($0, going) }
        removable = good.filter { isOf($0, going) }.sorted { ($0.chain.count, $0.events) > ($1.chain.count, $1.events) }
        newest = full.first
    }

    /// - Throws: ``AuditError/Code/damaged`` if the newest full backup is, in which case nothing was removed; ``AuditError/Code/output``;
    ///   backups removed before the error stay removed.
    public func prune() throws(AuditError) {
        guard !removable.isEmpty else { return }
        try requireWholeNewest()
        for copy in removable {
            let partial = PartialName.of(copy.path)
            do {
                if FileManager.default.fileExists(atPath: partial) { try FileManager.default.removeItem(atPath: partial) }
                // After a crash between these two calls, the next backup removes the folder as an incomplete one.
                try DurableNames.move(copy.path, to: partial)
                try FileManager.default.removeItem(atPath: partial)
            } catch { throw AuditError(writing: copy.path, error) }
        }
    }

    /// If the newest full backup is damaged, the backups to remove may be the only ones that can be restored.
    private func requireWholeNewest() throws(AuditError) {
        guard let newest else { return }
        do throws(AuditError) { try BackupChain(to: newest.path).verify() } catch {
            let detail = "nothing was removed, because the newest full backup is not whole: \(error.detail)"
            throw AuditError(.damaged, detail, remedy: error.remedy)
        }
    }
}
