public import Audit
internal import EventLog
internal import Foundation
internal import LMDB
internal import LoyaltyCodec

/// Restores from a full backup or from a chain that ends with an increment.
///
/// A chain is first verified link by link, and assembled into a full backup with the same content. The assembly happens inside the data
/// folder, because the service's user often may not write anywhere else. ``Restore`` then verifies that full backup against its signed
/// checkpoint, checks the conditions of a restore, and puts it in place.
public struct ChainRestore {
    private let from: String
    private let target: DataFolder
    private let keys: String?
    private let options: Verification.Options

    /// - Parameter from: a full backup or an increment; the other parameters are those of ``Restore``.
    public init(from: String, to target: String, keys: String? = nil, options: Verification.Options) {
        (self.from, self.target, self.keys, self.options) = (from, DataFolder(target), keys, options)
    }

    /// The path at which a chain is assembled into a full backup. The folder is removed when the restore ends. If the process was killed,
    /// the next restore removes the folder.
    public static func scratch(for target: String) -> String { PartialName.of(Self.assembled(DataFolder(target))) }

    private static func assembled(_ target: DataFolder) -> String { target.log + ".assembled" }

    /// Restores the backup or the chain.
    ///
    /// - Parameter begun: called with the path of the assembled backup and of the copy of the keys, each as soon as it belongs to this
    ///   process. Before that, a folder at the path may be another process's unfinished work, which the caller MUST not remove.
    /// - Throws: like ``Restore/run(progress:begun:)`` and ``BackupChain/init(to:)``. Nothing was changed, except perhaps after
    ///   ``AuditError/Code/output``.
    public func run(
        progress: @escaping @Sendable (UInt64) -> Void = { _ in }, begun: (_ partial: String) -> Void = { _ in }
    ) throws(AuditError) -> Restore.Outcome {
        var outcome = try restored(progress, begun)
        if outcome.report.isClean { outcome.advice = Self.advice(after: from, in: target) }
        return outcome
    }

    /// Returns the lines of advice for the operator after a restore. If the advice cannot be computed, returns one line with the reason and
    /// throws no error, because the restore itself has succeeded.
    static func advice(after backup: String, in target: DataFolder) -> [String] {
        do { return try RestoreAdvice(after: backup, in: target).lines } catch {
            return ["advice  the backup is restored, but what that may have undone could not be looked for: \(error.detail)"]
        }
    }

    private func restored(
        _ progress: @escaping @Sendable (UInt64) -> Void, _ begun: (_ partial: String) -> Void
    ) throws(AuditError) -> Restore.Outcome {
        try ClaimedFolder.clear(Self.scratch(for: target.path))
        guard IncrementManifest.isThere(in: from) else { return try restore(from, progress, begun) }
        let chain = try BackupChain(to: from)
        // A damaged picture must not prevent the restore of the events, so pictures are not verified here. Each picture is compared with
        // its digest when it is copied.
        try chain.verify(pictures: false)
        let pictures = try chain.pictures
        try Restore.requireNoServer(in: target)
        try requireRoom(chain)
        let isNew = !FileManager.default.fileExists(atPath: target.path)
        defer { if isNew { removeIfEmpty() } }
        try makeTarget()
        let copy = try CopiedFolder(Self.assembled(target), for: .owner)
        begun(copy.partial)
        defer { copy.abandon() }
        try Self.assemble(chain, pictures, in: copy)
        var outcome = try restore(copy.partial, progress, begun)
        if outcome.report.isClean {
            outcome.lostPictures = PictureFolder(path: target.blobs).lacking(pictures)
            // The assembled backup has no list of pictures, so the restore of it cannot report a damaged list.
            outcome.lacksPictureList = chain.lacksPictureList
        }
        return outcome
    }

    private func restore(
        _ path: String, _ progress: @escaping @Sendable (UInt64) -> Void, _ begun: (_ partial: String) -> Void
    ) throws(AuditError) -> Restore.Outcome {
        let restore = Restore(from: try AuditedFolder(path), to: target.path, keys: keys, name: from, options: options)
        return try restore.run(progress: progress, begun: begun)
    }

    private func makeTarget() throws(AuditError) {
        do throws(LMDBError) { try DurableNames.makeFolder(target.path, mode: 0o700, above: 0o755) } catch {
            throw AuditError(writing: target.path, error)
        }
    }

    /// Removes the data folder if it is empty, as it is after a refused restore that created it.
    private func removeIfEmpty() {
        guard let names = try? FileManager.default.contentsOfDirectory(atPath: target.path), names.isEmpty else { return }
        try? FileManager.default.removeItem(atPath: target.path)
    }

    /// Requires free space for the assembled backup, and for the copy of it that replaces the log. The estimate assumes that events take
    /// less than twice as many bytes in a log as in an increment.
    private func requireRoom(_ chain: BackupChain) throws(AuditError) {
        var bytes = 0
        for link in chain.links {
            let size = try? FileManager.default.attributesOfItem(atPath: link.path + "/log/data.mdb")[.size] as? NSNumber
            // Pictures that cannot be listed need no space, because they are not restored.
            bytes += (size?.intValue ?? 0) + ((try? link.pictures.byteCount) ?? 0) + 2 * (link.manifest?.byteCount ?? 0)
        }
        try CopiedFolder.requireRoom(2 * bytes + Backup.roomBytes, at: target.log)
    }

    private static func assemble(_ chain: BackupChain, _ pictures: [String], in copy: CopiedFolder) throws(AuditError) {
        try copy.copy(environment: DataFolder(chain.links[0].path).log, as: "log")
        try append(chain, to: AuditedFolder(copy.partial))
        // Only pictures in the chain's final list are copied. An earlier link may contain a picture that was removed later, which must not
        // be restored.
        let folder = PictureFolder(path: copy.partial + "/blobs")
        for link in chain.links { _ = try link.pictures.copy(pictures, to: folder) }
        for name in ["checkpoint", "checkpoint.vkey"] {
            let files = chain.links.map { $0.path + "/" + name }
            guard let bytes = files.reversed().lazy.compactMap({ FileManager.default.contents(atPath: $0) }).first else { continue }
            try copy.write([UInt8](bytes), as: name)
        }
    }

    private static func append(_ chain: BackupChain, to folder: AuditedFolder) throws(AuditError) {
        do {
            let log = try folder.log(.readWrite)
            defer { try? log.close() }
            for link in chain.links.dropFirst() {
                try EventsFile(path: link.path + "/" + IncrementManifest.eventsName).append(to: log)
            }
        } catch { throw AuditError(any: error) }
        // The index that was built during assembly is not restored, because the service builds an index for the restored log.
        try? FileManager.default.removeItem(atPath: DataFolder(folder.path).derived)
    }
}
