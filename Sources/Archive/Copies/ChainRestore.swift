public import Audit
internal import EventLog
internal import Foundation
internal import LMDB
internal import LoyaltyCodec

/// Restores a full backup, or a chain, perhaps up to a position and continued with salvaged events.
///
/// A chain is first verified and assembled into a full backup inside the data folder, because the service's user often may not write
/// anywhere else. ``Restore`` then verifies that full backup and puts it in place.
public struct ChainRestore {
    private let from: String?
    private let target: DataFolder
    private let keys: String?
    private let salvaged: String?
    private let bound: ReplayBound?
    private let options: Verification.Options

    public init(
        from: String?, to target: String, keys: String? = nil, salvaged: String? = nil, until bound: ReplayBound? = nil,
        options: Verification.Options
    ) {
        (self.from, self.target, self.keys, self.options) = (from, DataFolder(target), keys, options)
        (self.salvaged, self.bound) = (salvaged, bound)
    }

    /// The next restore removes the folder of a killed one.
    public static func scratch(for target: String) -> String { PartialName.of(DataFolder(target).assembledLog) }

    private var name: String { from ?? salvaged ?? "" }

    /// - Throws: like ``Restore/run(progress:begun:)``, ``BackupChain/init(to:)`` and ``Import/run(through:progress:read:)``;
    ///   ``AuditError/Code/input`` for a bound that the chain does not have. Nothing was changed, except perhaps after
    ///   ``AuditError/Code/output``.
    public func run(
        progress: @escaping @Sendable (UInt64) -> Void = { _ in }, begun: (_ partial: String) -> Void = { _ in }
    ) throws(AuditError) -> Restore.Outcome {
        var outcome = try restored(progress, begun)
        if outcome.report.isClean { outcome.advice += Self.advice(after: name, in: target, losesNothing: outcome.losesNothing) }
        return outcome
    }

    /// A failure becomes a line, because the restore itself has succeeded.
    static func advice(after backup: String, in target: DataFolder, losesNothing: Bool = false) -> [String] {
        do { return try RestoreAdvice(after: backup, in: target, losesNothing: losesNothing).lines } catch {
            return ["advice  the backup is restored, but what that may have undone could not be looked for: \(error.detail)"]
        }
    }

    private func restored(
        _ progress: @escaping @Sendable (UInt64) -> Void, _ begun: (_ partial: String) -> Void
    ) throws(AuditError) -> Restore.Outcome {
        try ClaimedFolder.clear(Self.scratch(for: target.path))
        if let from, bound == nil, salvaged == nil, !IncrementManifest.isThere(in: from) { return try restore(from, progress, begun) }
        let assembly = try Assembly(from: from, until: bound, salvaged: salvaged)
        // A damaged picture must not prevent the restore of the events. Each picture is compared with its digest when it is copied.
        try assembly.chain?.verify(pictures: false)
        let pictures = try assembly.pictures
        try Restore.requireNoServer(in: target)
        try CopiedFolder.requireRoom(2 * assembly.byteCount + Backup.roomBytes, at: target.log)
        let isNew = !FileManager.default.fileExists(atPath: target.path)
        defer { if isNew { removeIfEmpty() } }
        try makeTarget()
        let copy = try CopiedFolder(target.assembledLog, for: .owner)
        begun(copy.partial)
        defer { copy.abandon() }
        let assembled = try assembly.fill(copy, pictures, now: options.now)
        var outcome = try restore(copy.partial, isComplete: assembled.isComplete, progress, begun)
        guard outcome.report.isClean else { return outcome }
        outcome.lostPictures = PictureFolder(path: target.blobs).lacking(pictures)
        // The assembled backup has no list of pictures, so its restore cannot report a damaged list.
        outcome.lacksPictureList = assembly.chain?.lacksPictureList ?? false
        outcome.lostEvents = assembled.imported?.lost ?? []
        outcome.advice = assembly.lines(after: assembled)
        return outcome
    }

    private func restore(
        _ path: String, isComplete: Bool = false, _ progress: @escaping @Sendable (UInt64) -> Void, _ begun: (_ partial: String) -> Void
    ) throws(AuditError) -> Restore.Outcome {
        let restore = Restore(
            from: try AuditedFolder(path), to: target.path, keys: keys, name: name, isComplete: isComplete, options: options)
        return try restore.run(progress: progress, begun: begun)
    }

    private func makeTarget() throws(AuditError) {
        do throws(LMDBError) { try DurableNames.makeFolder(target.path, mode: 0o700, above: 0o755) } catch {
            throw AuditError(writing: target.path, error)
        }
    }

    /// Removes the empty data folder that a refused restore created.
    private func removeIfEmpty() {
        guard let names = try? FileManager.default.contentsOfDirectory(atPath: target.path), names.isEmpty else { return }
        try? FileManager.default.removeItem(atPath: target.path)
    }
}
