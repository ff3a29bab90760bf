public import Audit
internal import EventLog
internal import Foundation
internal import Loyalty
internal import LoyaltyCodec
public import Merkle

/// A rehearsal for the loss of the disk. A drill verifies all backups, restores the newest of them elsewhere, verifies and replays the
/// restored log, and compares the result with the original log. If there are no backups, it makes one for the rehearsal.
public struct Drill {
    /// The result of a drill.
    public struct Outcome: Hashable, Sendable {
        /// The verification of the restored folder.
        public let report: VerifyReport
        /// The state digest of the restored log.
        public let restored: StateDigest
        /// The state digest of the original log, computed at the last position of the restored log.
        public let original: StateDigest
        /// The original log's tree root, computed at the last position of the restored log.
        public let originalRoot: NodeHash?
        /// The number of pictures that were restored without damage.
        public let pictures: Int
        /// The number of pictures that are damaged or missing in the original folder, or were not restored.
        public let lostPictures: Int
        /// The pictures among those that shops or campaigns show, see ``VerifyReport/missingPictures()``.
        public var missingPictures: [String] = []
        /// The backup that was restored; nil if the drill made it.
        public var source: String?
        /// The number of events that the original log has after the restored ones.
        public var lacks: UInt64 = 0
        /// The backups that are damaged, or that need a damaged one.
        public var unsound: [BackupList.Copy] = []

        /// Whether the service could continue from the backup, and nothing but the events since then would be lost.
        public var isGood: Bool {
            report.isClean && restored == original && report.root == originalRoot && lostPictures == 0 && unsound.isEmpty
        }
    }

    /// A restored data folder, and what was restored to it.
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
    ///   - backups: the folder of backups; nil, or a folder without backups, to rehearse with a backup that the drill makes.
    public init(_ folder: AuditedFolder, in place: String, backups: String? = nil, options: Verification.Options) {
        (self.folder, scratch, self.backups, self.options) = (folder, Self.scratch(in: place), backups, options)
    }

    /// The path of the folder that contains a drill's backup and the restored data folder. The drill removes this folder at its end. If a
    /// drill was killed, the next drill in the same place removes the folder, because it uses the same path.
    public static func scratch(in place: String) -> String { BackupChain.plain(place) + "/greentea-drill" }

    /// The folder of copies that a killed drill left in `place`; nil if there is none, or while a drill is running there.
    public static func leftover(in place: String) -> String? {
        let path = scratch(in: place)
        return ClaimedFolder.isAbandoned(path) ? path : nil
    }

    /// Runs all steps of the rehearsal.
    ///
    /// - Parameter begun: called with the path of the folder of copies, as soon as that folder belongs to this drill. Before that, it may
    ///   be the folder of another drill, which the caller MUST not remove.
    /// - Throws: ``AuditError/Code/damaged`` if the original folder is damaged, or no backup can be restored;
    ///   ``AuditError/Code/occupied`` while another drill is running in the same folder; another ``AuditError`` if a step fails. Finding
    ///   such failures is the purpose of a drill.
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

    /// Restores the newest backup, or one that is made now if there is none.
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

    /// The pictures that are shown now, and that the original folder lacks, or the restored one although its log shows them.
    private func missingPictures(_ restored: PictureFolder, _ report: VerifyReport, _ log: EventLog) throws(AuditError) -> [String] {
        let original = PictureFolder(path: DataFolder(folder.path).blobs)
        let candidates = try restored.missing(report.shownPictures, reading: true)
        do {
            let shown = candidates.isEmpty ? [] : Set(try ShownPictures(of: log).images.map(\.digits))
            return Set(try original.missing(shownBy: log, reading: true)).union(candidates.filter(shown.contains)).sorted()
        } catch { throw AuditError(any: error) }
    }
}
