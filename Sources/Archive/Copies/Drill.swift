public import Audit
internal import EventLog
internal import Foundation
internal import LoyaltyCodec
public import Merkle

/// A rehearsal for the loss of the disk: back up, restore elsewhere, verify, replay, and compare with the original.
public struct Drill {
    /// The result of a drill.
    public struct Outcome: Hashable, Sendable {
        /// The verification of the restored folder.
        public let report: VerifyReport
        /// The state digest of the restored log.
        public let restored: StateDigest
        /// The state digest of the original at the same position.
        public let original: StateDigest
        /// The original log's tree root at the position of the restored log's head.
        public let originalRoot: NodeHash?
        /// The number of pictures that were restored without damage.
        public let pictures: Int
        /// Pictures of the original that are damaged, or were not restored.
        public let lostPictures: Int

        /// Whether the service could continue from the backup without any loss.
        public var isGood: Bool { report.isClean && restored == original && report.root == originalRoot && lostPictures == 0 }
    }

    private let folder: AuditedFolder
    private let scratch: String
    private let options: Verification.Options

    /// - Parameter scratch: a folder that does not exist yet, with room for two copies; it is removed at the end.
    public init(_ folder: AuditedFolder, in scratch: String, options: Verification.Options) {
        (self.folder, self.scratch, self.options) = (folder, scratch, options)
    }

    /// Runs all steps of the rehearsal.
    ///
    /// - Throws: ``AuditError/Code/damaged`` if the original or the restored folder is damaged; ``AuditError`` if a step fails, which a
    ///   drill is meant to find out.
    public func run(progress: @escaping @Sendable (UInt64) -> Void = { _ in }) throws(AuditError) -> Outcome {
        if FileManager.default.fileExists(atPath: scratch) {
            throw AuditError(.occupied, "\(scratch) is there already.", remedy: "Name another folder.")
        }
        defer { try? FileManager.default.removeItem(atPath: scratch) }
        let backup = try Backup(of: folder, to: scratch + "/backup").run()
        let copy = try Restore(from: AuditedFolder(scratch + "/backup"), to: scratch + "/data", options: options).run(progress: progress)
        guard copy.isClean else {
            let first = copy.findings.first.map { "\($0)" } ?? ""
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
        let whole = pictures.names.count - pictures.damaged.count
        return Outcome(
            report: report, restored: restored, original: original, originalRoot: try? log.root(through: report.head), pictures: whole,
            lostPictures: backup.pictures - whole + backup.damagedPictures.count)
    }
}
