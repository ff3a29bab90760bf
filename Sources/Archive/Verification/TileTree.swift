public import Audit
internal import EventLog
internal import Foundation
internal import LMDB
internal import Merkle

/// A Merkle tree as static files (C2SP tlog-tiles) in a folder: `checkpoint`, `tile/…`.
///
/// A right file stays, and any other is written again, because a power cut, a disk fault or an interrupted update may have left it. The
/// checkpoint is replaced last, when all of its tiles are on disk, so no reader sees a checkpoint without its tiles.
public struct TileTree: Sendable {
    /// The result of an update.
    public struct Summary: Sendable {
        public let size: UInt64
        public let oldSize: UInt64
        /// Tiles written by this update.
        public let written: Int
        /// Tiles that were complete already.
        public let kept: Int
    }

    public let path: String
    /// Whether the events are published as well. Only operators and auditors should be able to read a folder with events.
    public let hasEntries: Bool

    /// - Parameter path: the folder of the tree; it is created if it does not exist.
    public init(at path: String, entries hasEntries: Bool) {
        self.path = path.count > 1 && path.hasSuffix("/") ? String(path.dropLast()) : path
        self.hasEntries = hasEntries
    }

    /// Extends the tree to a log's checkpoint.
    ///
    /// - Parameter progress: called with the number of finished tiles of level 0, the level of the leaves.
    /// - Throws: ``AuditError`` `.damaged` for a changed event; `.checkpoint` if the folder's tree does not continue in the log, in which
    ///   case nothing was written; `.output`; `.log`.
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

    /// The published tree's size, or 0. Requires that the log begins with that tree.
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

    /// Returns whether the tile had to be written.
    ///
    /// - Parameter oldSize: the leaves of the published checkpoint, whose tiles are on disk.
    private func write(_ tile: Tile, of published: PublishedLog, after oldSize: UInt64) throws -> Bool {
        let file = path + "/" + tile.path
        if let stored = FileManager.default.contents(atPath: file), try published.has([UInt8](stored), in: tile) {
            if !tile.isWithin(size: oldSize) { try flush(file) }
            return false
        }
        try replace(tile.path, with: tile.kind == .entries ? published.bundle(of: tile) : published.log.tree.bytes(of: tile))
        return true
    }

    /// Flushes a file that an interrupted update has left, and its name.
    private func flush(_ file: String) throws(AuditError) {
        do throws(LMDBError) {
            try DurableNames.flush(file)
            try DurableNames.flush(Self.folder(of: file))
        } catch { throw AuditError(writing: file, error) }
    }

    private func replace(_ name: String, with bytes: [UInt8]) throws(AuditError) {
        let file = path + "/" + name
        do throws(LMDBError) { try DurableNames.makeFolder(Self.folder(of: file), mode: 0o755) } catch {
            throw AuditError(writing: file, error)
        }
        try OutputFile.write(bytes, to: file)
    }

    private static func folder(of file: String) -> String { URL(filePath: file).deletingLastPathComponent().path }
}

extension PublishedLog {
    /// Whether these are the bytes of a tile of this log. Entries are compared by their hashes, so that no event is read.
    fileprivate func has(_ bytes: [UInt8], in tile: Tile) throws -> Bool {
        guard tile.kind == .entries else { return try bytes == log.tree.bytes(of: tile) }
        guard let records = try? EntryBundle.records(in: bytes, width: tile.width) else { return false }
        var hasher = TreeHasher()
        return try records.map { hasher.leaf(Array($0)) } == log.tree.hashes(level: 0, in: tile.range)
    }

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
