public import Audit
internal import Foundation
internal import LMDB

/// Which backups may go: the full ones before those that are kept, and the increments that go on from these.
///
/// The newest full backups are kept, so many as asked for. An earlier one goes with every increment that goes on from it, unless one of
/// those restores to a later position than all that is kept. Only backups that are good count, and only good ones go: one that is damaged,
/// of another log, or ahead of the log is for a person to look at. An increment of a full one that is not good, or not in the list, stays:
/// with another copy of that one, it can be restored.
public struct Retention: Sendable {
    /// The good backups that stay, in the order of the list.
    public let kept: [BackupList.Copy]
    /// Increments before the backups that they go on from, so that an end halfway leaves no chain without its beginning.
    public let removable: [BackupList.Copy]
    private let newest: BackupList.Copy?

    /// - Parameter count: full backups to keep; at least one is kept.
    public init(of list: BackupList, keeping count: Int) {
        let good = list.copies.filter { if case .good = $0.standing { true } else { false } }
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

    /// Removes what may go, once the newest full backup was found whole: pages, records and pictures, as long as reading it twice takes.
    ///
    /// - Throws: ``AuditError/Code/damaged`` when it is not, and nothing was removed; ``AuditError/Code/output``; what was removed before
    ///   stays removed.
    public func prune() throws(AuditError) {
        guard !removable.isEmpty else { return }
        try requireWholeNewest()
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

    /// Those that go are perhaps the last from which the same could be restored.
    private func requireWholeNewest() throws(AuditError) {
        guard let newest else { return }
        do throws(AuditError) { try BackupChain(to: newest.path).verify() } catch {
            let detail = "nothing was removed, because the newest full backup is not whole: \(error.detail)"
            throw AuditError(.damaged, detail, remedy: error.remedy)
        }
    }
}
