public import Audit
internal import EventLog
internal import Foundation
internal import LMDB
internal import LoyaltyCodec

/// Restores from a full backup or from a chain that ends with an increment, perhaps only up to a position, and perhaps continued with
/// salvaged events.
///
/// All but a whole full backup is first verified link by link, and assembled into a full backup with the same content. The assembly happens
/// inside the data folder, because the service's user often may not write anywhere else. ``Restore`` then verifies that full backup against
/// its signed checkpoint, checks the conditions of a restore, and puts it in place.
public struct ChainRestore {
    private let from: String?
    private let target: DataFolder
    private let keys: String?
    private let salvaged: String?
    private let bound: ReplayBound?
    private let options: Verification.Options

    /// - Parameters:
    ///   - from: a full backup or an increment; nil to restore salvaged events alone.
    ///   - salvaged: a file that ``Salvage`` wrote, whose events continue the backup's; nil for none.
    ///   - bound: the end of the restore; nil to restore everything. The other parameters are those of ``Restore``.
    public init(
        from: String?, to target: String, keys: String? = nil, salvaged: String? = nil, until bound: ReplayBound? = nil,
        options: Verification.Options
    ) {
        (self.from, self.target, self.keys, self.options) = (from, DataFolder(target), keys, options)
        (self.salvaged, self.bound) = (salvaged, bound)
    }

    /// The path at which a chain is assembled into a full backup. The folder is removed when the restore ends. If the process was killed,
    /// the next restore removes the folder.
    public static func scratch(for target: String) -> String { PartialName.of(Self.assembled(DataFolder(target))) }

    private static func assembled(_ target: DataFolder) -> String { target.log + ".assembled" }

    private var name: String { from ?? salvaged ?? "" }

    /// Restores the backup or the chain.
    ///
    /// - Parameter begun: called with the path of the assembled backup and of the copy of the keys, each as soon as it belongs to this
    ///   process. Before that, a folder at the path may be another process's unfinished work, which the caller MUST not remove.
    /// - Throws: like ``Restore/run(progress:begun:)``, ``BackupChain/init(to:)`` and ``Import/run(through:progress:read:)``;
    ///   ``AuditError/Code/input`` for a bound that the chain does not have. Nothing was changed, except perhaps after
    ///   ``AuditError/Code/output``.
    public func run(
        progress: @escaping @Sendable (UInt64) -> Void = { _ in }, begun: (_ partial: String) -> Void = { _ in }
    ) throws(AuditError) -> Restore.Outcome {
        var outcome = try restored(progress, begun)
        if outcome.report.isClean { outcome.advice += Self.advice(after: name, in: target) }
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
        if let from, bound == nil, salvaged == nil, !IncrementManifest.isThere(in: from) { return try restore(from, progress, begun) }
        let assembly = try Assembly(from: from, until: bound, salvaged: salvaged)
        // A damaged picture must not prevent the restore of the events, so pictures are not verified here. Each picture is compared with
        // its digest when it is copied.
        try assembly.chain?.verify(pictures: false)
        let pictures = try assembly.pictures
        try Restore.requireNoServer(in: target)
        // The assembled backup is there once more while it replaces the log.
        try CopiedFolder.requireRoom(2 * assembly.byteCount + Backup.roomBytes, at: target.log)
        let isNew = !FileManager.default.fileExists(atPath: target.path)
        defer { if isNew { removeIfEmpty() } }
        try makeTarget()
        let copy = try CopiedFolder(Self.assembled(target), for: .owner)
        begun(copy.partial)
        defer { copy.abandon() }
        let assembled = try assembly.fill(copy, pictures, now: options.now)
        var outcome = try restore(copy.partial, progress, begun)
        guard outcome.report.isClean else { return outcome }
        outcome.lostPictures = PictureFolder(path: target.blobs).lacking(pictures)
        // The assembled backup has no list of pictures, so the restore of it cannot report a damaged list.
        outcome.lacksPictureList = assembly.chain?.lacksPictureList ?? false
        outcome.lostEvents = assembled.imported?.lost ?? []
        outcome.advice = assembly.lines(after: assembled)
        return outcome
    }

    private func restore(
        _ path: String, _ progress: @escaping @Sendable (UInt64) -> Void, _ begun: (_ partial: String) -> Void
    ) throws(AuditError) -> Restore.Outcome {
        let restore = Restore(from: try AuditedFolder(path), to: target.path, keys: keys, name: name, options: options)
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
}
