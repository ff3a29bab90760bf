internal import EventLog
internal import Foundation
internal import LoyaltyCodec
internal import ReadModels

/// The snapshots of a data folder: `DATA/derived/snapshots`, a folder each.
///
/// ```
/// DATA/derived/snapshots/p000001000000-0123456789abcdef-v2.2.1/manifest   see SnapshotManifest
///                                                              times      see SnapshotTimes
///                                                              card-progress.cards, card-progress.cards.index, …
/// ```
/// All of it may be deleted at any moment. A folder gets its name when everything in it is on disk.
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

    func path(of name: SnapshotName) -> String { path + "/" + name.text }

    /// Opens one.
    ///
    /// - Throws: why it is of no use.
    func open(_ name: SnapshotName) throws(SnapshotFault) -> PastSnapshot {
        try PastSnapshot(name, at: path(of: name), log: log)
    }
}
