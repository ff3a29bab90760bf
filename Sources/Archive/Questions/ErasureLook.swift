internal import Audit
internal import EventLog
internal import Foundation
internal import Loyalty
internal import LoyaltyCodec

/// The checkup's lines about erasures that a copy or a restore undoes.
enum ErasureLook {
    /// The line about a copy of the keys that is from before the newest erasure; nil if the last copy is newer, or if there is none.
    ///
    /// - Parameter command: makes another copy.
    static func keyCopy(_ data: DataFolder, _ log: EventLog, _ command: String) throws(AuditError) -> Checkup.Line? {
        let attributes = try? FileManager.default.attributesOfItem(atPath: data.keyBackupNote)
        guard let written = attributes?[.modificationDate] as? Date else { return nil }
        var newest: Fact?
        try EventListing(type: .accountErased).forEach(in: log) { fact in
            newest = fact
            return true
        }
        guard let newest else { return nil }
        let isOlder =
            UpkeepFile.events(data.keyBackupNote).map { $0 < newest.position }
            ?? (written.timeIntervalSince1970 * 1e6 < Double(newest.time.microseconds))
        guard isOlder else { return nil }
        return Checkup.Line(
            subject: "key copy", verdict: .warning,
            finding: "the last one is from before the newest erasure, at position \(newest.position), and would undo it",
            remedy: "Throw it away, and make another: \(command)")
    }

    /// The line about a restore that nobody has cleared; nil if there was none.
    static func restore(_ data: DataFolder) -> Checkup.Line? {
        guard FileManager.default.fileExists(atPath: data.restoreNote) else { return nil }
        let position = UpkeepFile.events(data.restoreNote).map { " of \($0) events" } ?? ""
        return Checkup.Line(
            subject: "restore", verdict: .warning,
            finding: "the log is a restored backup\(position): erasures after those, and before the restore, may be undone",
            remedy: "Have them made again, as the runbook says under After a restore, then: rm \(data.restoreNote)")
    }
}
