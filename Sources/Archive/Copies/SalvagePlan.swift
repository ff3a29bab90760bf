public import Audit
internal import EventLog
internal import Foundation
internal import LoyaltyCodec
internal import Merkle

/// The result that a restore of the best backup, continued with salvaged events, will have. Only descriptions are read.
public struct SalvagePlan: Hashable, Sendable {
    public let backup: String?
    /// A missing or damaged picture of the backup, without which the restore goes on.
    public let lacking: String?
    public let restoresTo: UInt64
    public let lost: [ClosedRange<UInt64>]
    /// Positions of salvaged events behind lost ones, so that no log can have them.
    public let left: [ClosedRange<UInt64>]
    /// Whether the log has all events and whole pages, so that it needs no restore.
    public let isWhole: Bool
    /// Nil if there is nothing to do, or nothing to restore.
    public let next: String?
    /// The last position that the checkpoint covers, if the restored log will be shorter.
    public let signed: UInt64?

    /// `place` is the folder of backups; nil for that of the last noted backup.
    public init(after summary: Salvage.Summary, of folder: AuditedFolder, in file: String, backups place: String?) {
        let data = DataFolder(folder.path)
        let place = place ?? Self.notedPlace(of: data)
        let best = place.flatMap {
            RestoreAdvice.later(than: 0, beside: BackupChain.plain($0) + "/any", of: VerifierKey(inFile: data.verifierKey))
        }
        let held = best?.events ?? 0
        let restoresTo = max(held, summary.events.first { $0.contains(held + 1) }?.upperBound ?? held)
        (backup, lacking) = (best?.path, best?.lacking?.text)
        self.restoresTo = restoresTo
        lost = summary.missing.compactMap { range in
            range.upperBound > held ? max(range.lowerBound, held + 1)...range.upperBound : nil
        }
        left = summary.events.filter { $0.lowerBound > restoresTo }
        let size = Checkpoint.size(inFile: data.checkpoint) ?? 0
        signed = size > restoresTo ? size : nil
        let giveUp = signed == nil ? "" : "mv \(data.checkpoint) \(data.checkpoint).damaged && "
        let from = best.map { " --from \($0.path)" } ?? ""
        let restore = "greentea-audit restore\(from) --salvaged \(file) --data \(data.path)"
        isWhole = summary.missing.isEmpty && summary.unproved.isEmpty && (try? folder.requireWholePages()) == true
        let isUnsigned = FileManager.default.fileExists(atPath: data.checkpoint) && size == 0
        next =
            switch best {
            // A damaged checkpoint alone refuses the start; each backup's is continued by the whole log.
            case let best? where isWhole && isUnsigned: "cp -a \(best.path)/checkpoint* \(data.path)/"
            case _ where isWhole || restoresTo == 0: nil
            default: "\(giveUp)mv \(data.log) \(data.log).damaged && \(restore)"
            }
    }

    private static func notedPlace(of data: DataFolder) -> String? {
        guard let bytes = FileManager.default.contents(atPath: data.backupNote) else { return nil }
        let words = String(decoding: bytes, as: UTF8.self).split(whereSeparator: \.isWhitespace)
        guard let place = words.firstIndex(where: { $0 == "to" || $0 == "since" }), place + 1 < words.count else { return nil }
        return BackupChain.place(of: BackupChain.plain(String(words[place + 1])))
    }
}
