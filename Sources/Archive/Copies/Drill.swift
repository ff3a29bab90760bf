public import Audit
internal import EventLog
internal import Foundation
internal import Loyalty
internal import LoyaltyCodec
public import Merkle

/// A rehearsal for the loss of the disk: verifies all backups, restores the newest one elsewhere, replays the restored log, and compares it
/// with the original. Without backups, it makes one for the rehearsal.
public struct Drill {
    /// The result of a drill.
    public struct Outcome: Hashable, Sendable {
        public let report: VerifyReport
        public let restored: StateDigest
        /// Computed at the last position of the restored log.
        public let original: StateDigest
        /// Computed at the last position of the restored log.
        public let originalRoot: NodeHash?
        public let pictures: Int
        /// Pictures that are damaged or missing in the original folder, or were not restored.
        public let lostPictures: Int
        public var missingPictures: [String] = []
        public var source: String?
        /// The number of later events in the original log.
        public var lacks: UInt64 = 0
        public var unsound: [BackupList.Copy] = []

        /// Whether the service could continue from the backup and lose only the events since then.
        public var isGood: Bool {
            report.isClean && restored == original && report.root == originalRoot && lostPictures == 0 && unsound.isEmpty
        }
    }

    private struct Rehearsal {
        let restored: Restore.Outcome
        var damagedPictures: [String] = []
        var source: String?
        var unsound: [BackupList.Copy] = []
    }

    private let folder: AuditedFolder
    private let scratch: String
    private let backups: String?
    private let options: Verification.Options

    private var target: String { scratch + "/data" }

    /// - Parameters:
    ///   - place: a folder on a disk with room for two copies of the data folder.
    ///   - backups: the folder of backups; if nil or empty, the drill makes a backup.
    public init(_ folder: AuditedFolder, in place: String, backups: String? = nil, options: Verification.Options) {
        (self.folder, scratch, self.backups, self.options) = (folder, Self.scratch(in: place), backups, options)
    }

    /// The folder of the drill's copies, removed at its end. The path is fixed, so that the next drill removes what a killed one left.
    public static func scratch(in place: String) -> String { BackupChain.plain(place) + "/greentea-drill" }

    /// The copies that a killed drill left; nil while a drill is running there.
    public static func leftover(in place: String) -> String? {
        let path = scratch(in: place)
        return ClaimedFolder.isAbandoned(path) ? path : nil
    }

    /// Runs all steps of the rehearsal.
    ///
    /// - Parameter begun: called with the path of the folder of copies as soon as this drill owns the folder. Until then, the folder may be
    ///   another drill's and MUST NOT be removed.
    /// - Throws: ``AuditError/Code/damaged`` if the original folder is damaged, or no backup can be restored; ``AuditError/Code/occupied``
    ///   while another drill runs in the same folder; another ``AuditError`` if a step fails.
    public func run(
        progress: @escaping @Sendable (UInt64) -> Void = { _ in }, begun: (_ scratch: String) -> Void = { _ in }
    ) throws(AuditError) -> Outcome {
        let work = try ClaimedFolder(scratch, mode: 0o700)
        begun(work.path)
        defer { work.remove() }
        let rehearsal = try rehearsal(progress)
        guard rehearsal.restored.report.isClean else {
            let first = rehearsal.restored.report.findings.first.map { "\($0)" } ?? ""
            throw AuditError(.damaged, "the backup \(rehearsal.source ?? "") is damaged: \(first)", remedy: Self.remedy)
        }
        return try compare(try AuditedFolder(target), rehearsal, progress)
    }

    private static let remedy = "Verify the original, and make a full backup of it."

    /// Restores the newest backup, or one that is made now.
    private func rehearsal(_ progress: @escaping @Sendable (UInt64) -> Void) throws(AuditError) -> Rehearsal {
        if let backups, FileManager.default.fileExists(atPath: backups) {
            let list = try BackupList(of: folder, in: backups, verifying: true)
            if let newest = BackupShelf.last(of: list.good) {
                let restored = try ChainRestore(from: newest.path, to: target, options: options).run(progress: progress)
                return Rehearsal(restored: restored, source: newest.path, unsound: list.unsound)
            }
            guard list.copies.isEmpty else {
                throw AuditError(
                    .damaged, "no backup in \(backups) can be restored.",
                    remedy: "`greentea-audit backups --data \(folder.path) --in \(backups) --verify` says why. " + Self.remedy)
            }
        }
        let backup = try Backup(of: folder, to: scratch + "/backup").run()
        let restore = Restore(from: try AuditedFolder(scratch + "/backup"), to: target, options: options)
        return Rehearsal(restored: try restore.run(progress: progress), damagedPictures: backup.damagedPictures)
    }

    private func compare(
        _ data: AuditedFolder, _ rehearsal: Rehearsal, _ progress: @escaping @Sendable (UInt64) -> Void
    ) throws(AuditError) -> Outcome {
        let report = try Verification(data, options: options).run(progress: progress)
        let restored = StateDigest(of: try Replay(of: try data.log(.readOnly)))
        let log = try folder.log(.readOnly)
        let original = StateDigest(of: try Replay(of: log, until: .position(report.head)))
        let pictures = PictureFolder(path: DataFolder(data.path).blobs)
        let missing = try missingPictures(pictures, report, log)
        let lost = Set((rehearsal.restored.lostPictures + rehearsal.damagedPictures).map { $0.prefix(32) } + missing.map { $0[...] })
        var outcome = Outcome(
            report: report, restored: restored, original: original, originalRoot: try? log.root(through: report.head),
            pictures: try pictures.names.count - pictures.damaged.count, lostPictures: lost.count)
        (outcome.missingPictures, outcome.source, outcome.unsound) = (missing, rehearsal.source, rehearsal.unsound)
        outcome.lacks = log.head.rawValue - report.head.rawValue
        return outcome
    }

    /// Shown pictures that the original folder lacks, or that the restored folder lacks although its log shows them.
    private func missingPictures(_ restored: PictureFolder, _ report: VerifyReport, _ log: EventLog) throws(AuditError) -> [String] {
        let original = PictureFolder(path: DataFolder(folder.path).blobs)
        let candidates = try restored.missing(report.shownPictures, reading: true)
        do {
            let shown = candidates.isEmpty ? [] : Set(try ShownPictures(of: log).images.map(\.digits))
            return Set(try original.missing(shownBy: log, reading: true)).union(candidates.filter(shown.contains)).sorted()
        } catch { throw AuditError(any: error) }
    }
}
