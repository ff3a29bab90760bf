internal import Audit
internal import EventLog
internal import Foundation
internal import Loyalty
internal import LoyaltyCodec

/// The checkup's lines about erasures that an old copy of the keys or a restore may have undone.
enum ErasureLook {
    /// The line about a copy of the keys that is older than the newest erasure, and may still have erased keys; nil if there is none.
    static func keyCopy(_ data: DataFolder, _ log: EventLog, _ command: String) -> Checkup.Line? {
        let attributes = try? FileManager.default.attributesOfItem(atPath: data.keyBackupNote)
        guard let written = attributes?[.modificationDate] as? Date else { return nil }
        do {
            guard let newest = try erasure(in: log, after: UpkeepFile.events(data.keyBackupNote), written) else { return nil }
            return Checkup.Line(
                subject: "key copy", verdict: .warning,
                finding: "the last one is from before the newest erasure, at position \(newest), and may undo it",
                remedy: "greentea-audit erasures --data \(data.path) --keys COPY tells; if so, throw it away, and make another: \(command)")
        } catch {
            return Checkup.Line(
                subject: "key copy", verdict: .bad, finding: "the events after it cannot be read: \(AuditError(any: error).detail)",
                remedy: "Look for damage: greentea-audit verify --data \(data.path)")
        }
    }

    /// The position of the newest erasure after the last copy of the keys; nil if there is none.
    ///
    /// Only events after the noted position are read. A note of an older version has none, so all events' times are compared with the
    /// copy's.
    private static func erasure(in log: EventLog, after noted: UInt64?, _ written: Date) throws -> UInt64? {
        var newest: UInt64?
        try log.scan(after: min(Position(noted ?? 0), log.head)) { position, record in
            guard record.type == .accountErased else { return true }
            let isLater = noted != nil || written.timeIntervalSince1970 * 1e6 < Double(record.time.microseconds)
            if isLater { newest = position.rawValue }
            return true
        }
        return newest
    }

    /// The line about a restore whose note the operator has not removed; nil if there is none.
    static func restore(_ data: DataFolder) -> Checkup.Line? {
        guard FileManager.default.fileExists(atPath: data.restoreNote) else { return nil }
        let position = UpkeepFile.events(data.restoreNote).map { " of \($0) events" } ?? ""
        return Checkup.Line(
            subject: "restore", verdict: .warning,
            finding: "the log is a restored backup\(position): erasures after those, and before the restore, may be undone",
            remedy: "Have them made again, as the runbook says under After a restore, then: rm \(data.restoreNote)")
    }
}
