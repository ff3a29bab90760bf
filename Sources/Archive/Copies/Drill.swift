public import Audit
internal import EventLog
internal import Foundation
internal import LoyaltyCodec
public import Merkle

/// A rehearsal for the loss of the disk. A drill makes a backup, restores the backup elsewhere, verifies and replays the restored log, and
/// compares the result with the original log.
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
        /// The number of pictures in the original folder that are damaged or were not restored.
        public let lostPictures: Int

        /// Whether the service could continue from the backup without any loss.
        public var isGood: Bool { report.isClean && restored == original && report.root == originalRoot && lostPictures == 0 }
    }

    private let folder: AuditedFolder
    private let scratch: String
    private let options: Verification.Options

    /// - Parameter place: a folder on a disk with room for two copies of the data folder.
    public init(_ folder: AuditedFolder, in place: String, options: Verification.Options) {
        (self.folder, scratch, self.options) = (folder, Self.scratch(in: place), options)
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
    /// - Throws: ``AuditError/Code/damaged`` if the original folder or the backup is damaged; ``AuditError/Code/occupied`` while another
    ///   drill is running in the same folder; another ``AuditError`` if a step fails. Finding such failures is the purpose of a drill.
    public func run(
        progress: @escaping @Sendable (UInt64) -> Void = { _ in }, begun: (_ scratch: String) -> Void = { _ in }
    ) throws(AuditError) -> Outcome {
        let work = try ClaimedFolder(scratch, mode: 0o700)
        begun(work.path)
        defer { work.remove() }
        let backup = try Backup(of: folder, to: scratch + "/backup").run()
        let copy = try Restore(from: AuditedFolder(scratch + "/backup"), to: scratch + "/data", options: options).run(progress: progress)
        guard copy.report.isClean else {
            let first = copy.report.findings.first.map { "\($0)" } ?? ""
            throw AuditError(.damaged, "the backup is damaged: \(first)", remedy: "Verify the original.")
        }
        return try compare(AuditedFolder(scratch + "/data"), with: backup, progress)
    }

    private func compare(
        _ data: AuditedFolder, with backup: Backup.Summary, _ progress: @escaping @Sendable (UInt64) -> Void
    ) throws(AuditError) -> Outcome {
        let report = try Verification(data, options: options).run(progress: progress)
        let restored = StateDigest(of: try Replay(of: try data.log(.readOnly)))
        let log = try folder.log(.readOnly)
        let original = StateDigest(of: try Replay(of: log, until: .position(report.head)))
        let pictures = PictureFolder(path: DataFolder(data.path).blobs)
        let whole = try pictures.names.count - pictures.damaged.count
        return Outcome(
            report: report, restored: restored, original: original, originalRoot: try? log.root(through: report.head), pictures: whole,
            lostPictures: backup.pictures - whole + backup.damagedPictures.count)
    }
}
