internal import EventLog
internal import Foundation
internal import LMDB
internal import LoyaltyCodec
internal import ReadModels

/// The snapshots of a data folder: `DATA/derived/snapshots`, a folder each.
///
/// ```
/// DATA/derived/snapshots/p000001000000-0123456789abcdef-v2.2.1/manifest   see SnapshotManifest
///                                                              times      see SnapshotTimes
///                                                              card-progress.cards, card-progress.cards.index, …
/// ```
/// All of it may be deleted at any moment, but by these tools only by the holder of the lock `making`, so that nobody takes what is just
/// being made for the rest of an attempt that was cut short. A folder gets its name when everything in it is on disk; reading needs no
/// lock.
struct SnapshotShelf {
    let path: String
    private let log: EventLog

    init(of folder: AuditedFolder, log: EventLog) {
        (path, self.log) = (DataFolder(folder.path).snapshots, log)
    }

    /// All that there are folders of, the earliest first.
    var names: [SnapshotName] {
        let files = (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
        return files.compactMap { SnapshotName(text: $0) }.sorted { ($0.mark.position, $0.text) < ($1.mark.position, $1.text) }
    }

    /// What attempts that were cut short have left.
    var leftovers: [String] {
        let files = (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
        return files.filter { $0.hasSuffix(".partial") }.sorted()
    }

    /// The right to make and to remove snapshots, held until the last reference goes.
    ///
    /// - Throws: ``AuditError/Code/occupied`` naming the holder, ``AuditError/Code/output``.
    func lock() throws(AuditError) -> FileLock {
        let remedy = "Check the folder's owner and permissions."
        do { try DurableNames.makeFolder(path) } catch {
            throw AuditError(.output, "\(path) cannot be made: \(FileFault(error)).", remedy: remedy)
        }
        do throws(LMDBError) { return try FileLock(path + "/making") } catch {
            guard error.code == .locked else { throw AuditError(.output, "\(error.path) cannot be locked: \(error).", remedy: remedy) }
            throw AuditError(
                .occupied, "snapshots are being made or removed: \(error.path) is \(error.text).",
                remedy: "Wait until that one has ended, or end it: the next one makes what is missing.")
        }
    }

    func path(of name: SnapshotName) -> String { path + "/" + name.text }

    /// Opens one.
    ///
    /// - Throws: why it is of no use.
    func open(_ name: SnapshotName) throws(SnapshotFault) -> PastSnapshot {
        try PastSnapshot(name, at: path(of: name), log: log)
    }
}
