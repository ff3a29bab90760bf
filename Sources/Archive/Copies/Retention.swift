public import Audit
internal import Foundation
internal import LMDB

/// Decides which backups may be removed: full ones before those that are kept, with the increments that continue them.
///
/// The requested number of newest full backups is kept. An earlier one is removed with all increments that continue it, unless one of them
/// restores to a later position than everything that is kept. Only good backups count, and only good ones are removed: a person must look
/// at one that is damaged, of another log, or ahead of the log. An increment stays if its full backup is not good or not in the list,
/// because another copy of that backup may restore it.
public struct Retention: Sendable {
    /// The good backups that are kept, in the order of the list.
    public let kept: [BackupList.Copy]
    /// The backups to remove, increments before their parents, so that an interruption leaves no chain without its beginning.
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

    /// Removes those backups, after checking pages, records and pictures of the newest full one, which takes as long as reading it twice.
    ///
    /// - Throws: ``AuditError/Code/damaged`` if that one is damaged, and nothing was removed; ``AuditError/Code/output``; backups removed
    ///   before the error stay removed.
    public func prune() throws(AuditError) {
        guard !removable.isEmpty else { return }
        try requireWholeNewest()
        for copy in removable {
            let partial = PartialName.of(copy.path)
            do {
                if FileManager.default.fileExists(atPath: partial) { try FileManager.default.removeItem(atPath: partial) }
                // A crash after this leaves an incomplete folder, which the next backup removes.
                try DurableNames.move(copy.path, to: partial)
                try FileManager.default.removeItem(atPath: partial)
            } catch { throw AuditError(writing: copy.path, error) }
        }
    }

    /// Without an intact newest one, those to be removed may be the last from which the state can be restored.
    private func requireWholeNewest() throws(AuditError) {
        guard let newest else { return }
        do throws(AuditError) { try BackupChain(to: newest.path).verify() } catch {
            let detail = "nothing was removed, because the newest full backup is not whole: \(error.detail)"
            throw AuditError(.damaged, detail, remedy: error.remedy)
        }
    }
}
