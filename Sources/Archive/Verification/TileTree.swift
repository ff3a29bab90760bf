public import Audit
internal import EventLog
internal import Foundation
internal import Merkle

/// A Merkle tree as static files in a folder. Any web server can serve them, and any client of the C2SP format can read them: `checkpoint`,
/// `tile/…`.
///
/// The tree is extended and never rewritten. A tile of the published checkpoint stays unchanged if its file has its full length. If the
/// file has another length, for example after a power cut, it is written again. A tile beyond that checkpoint may be left from an
/// interrupted update, possibly from another log, so its file is kept only if it has the right bytes. The checkpoint is replaced last, so a
/// reader never sees a checkpoint whose tiles are missing, and if an update was interrupted, the next one completes it.
public struct TileTree: Sendable {
    /// The result of an update.
    public struct Summary: Sendable {
        /// The number of leaves of the tree after the update.
        public let size: UInt64
        /// The number of leaves of the tree before the update.
        public let oldSize: UInt64
        /// The number of tiles written by this update.
        public let written: Int
        /// The number of tiles that were complete already, and not written.
        public let kept: Int
    }

    /// The tree's folder.
    public let path: String
    /// Whether the events themselves are published as well. Operators and auditors need them, but nobody else should be able to read a
    /// folder with events.
    public let hasEntries: Bool

    /// - Parameter path: the folder of the tree; it is created if it does not exist.
    public init(at path: String, entries hasEntries: Bool) {
        self.path = path.count > 1 && path.hasSuffix("/") ? String(path.dropLast()) : path
        self.hasEntries = hasEntries
    }

    /// Extends the tree to a log's checkpoint.
    ///
    /// - Parameter progress: called with the number of finished tiles of level 0, the level of the leaves.
    /// - Throws: ``AuditError`` `.damaged` for an event that was changed after it was stored; `.checkpoint` if the folder holds a tree that
    ///   the log does not continue, in which case nothing was written; `.output`; `.log`.
    @discardableResult
    public func update(from published: PublishedLog, progress: (Int) -> Void = { _ in }) throws(AuditError) -> Summary {
        let oldSize = try publishedSize(before: published)
        let size = published.checkpoint.checkpoint.size
        var (written, kept) = (0, 0)
        do {
            for tile in TileSequence(of: size) {
                for part in [tile] + (hasEntries ? [tile.entries].compactMap { $0 } : []) {
                    if try write(part, of: published, after: oldSize) { written += 1 } else { kept += 1 }
                }
                if tile.level == 0 { progress(Int(clamping: tile.index) + 1) }
            }
            // After a crash before this call, the folder has the old checkpoint, for which the old tiles suffice.
            try replace("checkpoint", with: published.checkpoint.note.bytes)
        } catch { throw AuditError(any: error) }
        return Summary(size: size, oldSize: oldSize, written: written, kept: kept)
    }

    /// The size of the published tree; 0 if there is none. Requires that the log begins with the events of that tree.
    private func publishedSize(before published: PublishedLog) throws(AuditError) -> UInt64 {
        guard let note = FileManager.default.contents(atPath: path + "/checkpoint") else { return 0 }
        let old: TrustedCheckpoint
        do throws(EventLogError) { old = try published.log.verify(checkpoint: [UInt8](note), by: published.key) } catch {
            throw AuditError(
                .checkpoint, "\(path) holds the tree of another log, or an altered one: \(error.detail)",
                remedy: "Publish into another folder, and find out which of the two is the true one.")
        }
        guard old.checkpoint.size <= published.checkpoint.checkpoint.size else {
            throw AuditError(
                .checkpoint, "\(path) holds a newer tree, of \(old.checkpoint.size) leaves.",
                remedy: "Start the server once; it signs what there is.")
        }
        return old.checkpoint.size
    }

    /// - Parameter oldSize: the number of leaves of the published checkpoint, which the log continues.
    /// - Returns: whether the tile was written; false if it was complete already.
    private func write(_ tile: Tile, of published: PublishedLog, after oldSize: UInt64) throws -> Bool {
        if tile.isWithin(size: oldSize), isThere(tile) { return false }
        let bytes = try tile.kind == .entries ? published.bundle(of: tile) : published.log.tree.bytes(of: tile)
        // The length of such a file proves nothing. An interrupted update may have written it from another log, or from this log before an
        // older copy of it was restored.
        if let stored = FileManager.default.contents(atPath: path + "/" + tile.path), [UInt8](stored) == bytes { return false }
        try replace(tile.path, with: bytes)
        return true
    }

    /// Whether the file of a tile of the published checkpoint is complete. A file of hashes must have the length that follows from the
    /// number of hashes, and a bundle of entries must contain the right number of entries.
    private func isThere(_ tile: Tile) -> Bool {
        let file = path + "/" + tile.path
        guard let attributes = try? FileManager.default.attributesOfItem(atPath: file) else { return false }
        guard tile.kind == .entries else { return attributes[.size] as? Int == tile.width * NodeHash.byteCount }
        guard let bytes = FileManager.default.contents(atPath: file) else { return false }
        return (try? EntryBundle.records(in: [UInt8](bytes), width: tile.width)) != nil
    }

    private func replace(_ name: String, with bytes: [UInt8]) throws {
        let file = URL(filePath: path + "/" + name)
        do {
            try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
            try Data(bytes).write(to: file, options: .atomic)
        } catch { throw AuditError(writing: file.path, error) }
    }
}

extension PublishedLog {
    /// The bytes of a tile of entries, which are the events' records.
    fileprivate func bundle(of tile: Tile) throws -> [UInt8] {
        var bundle: [UInt8] = []
        let range = tile.range
        let hashes = try log.tree.hashes(level: 0, in: range)
        var hasher = TreeHasher()
        try log.scan(after: Position(range.lowerBound), through: Position(range.upperBound)) { position, record in
            guard hasher.leaf(record.bytes) == hashes[Int(position.rawValue - range.lowerBound) - 1] else {
                throw AuditError.changedRecord(at: position)
            }
            try EntryBundle.append(record.bytes, to: &bundle)
            return true
        }
        return bundle
    }
}
