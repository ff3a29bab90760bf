internal import Audit
internal import EventLog
internal import Foundation
internal import Loyalty
internal import LoyaltyCodec
internal import Merkle

/// The checkup's lines about erasures that an old copy of the keys or a restore may have undone.
enum ErasureLook {
    /// Nil unless a copy of the keys is older than the newest erasure, and may still have erased keys.
    static func keyCopy(_ data: DataFolder, _ log: EventLog, _ command: String) -> Checkup.Line? {
        guard let written = time(of: data.keyBackupNote) else { return nil }
        do {
            guard let newest = try erasure(in: log, of: data, written) else { return nil }
            return Checkup.Line(
                "key copy", .warning, "the last one is from before the newest erasure, at position \(newest), and may undo it",
                "greentea-audit erasures --data \(data.path) --keys COPY tells; if so, throw it away, and make another: \(command)")
        } catch {
            return Checkup.Line(
                "key copy", .bad, "the events after it cannot be read: \(AuditError(any: error).detail)",
                "Look for damage: greentea-audit verify --data \(data.path)")
        }
    }

    /// Only events after the copy's noted position are read. Without a position of this log's history, all events' times are compared with
    /// the copy's.
    private static func erasure(in log: EventLog, of data: DataFolder, _ written: Date) throws -> UInt64? {
        let copied = try copiedPosition(data, in: log, written)
        // A copy with a position of another history was begun up to a day before it was noted.
        let hasPosition = UpkeepFile.events(data.keyBackupNote) != nil
        let since = (written.timeIntervalSince1970 - (hasPosition ? Checkup.daySeconds : 0)) * 1e6
        var newest: UInt64?
        try log.scan(after: Position(copied ?? 0)) { position, record in
            guard record.type == .accountErased else { return true }
            if copied != nil || since < Double(record.time.microseconds) { newest = position.rawValue }
            return true
        }
        return newest
    }

    /// The noted position of the copy; nil without one, or if the log was rolled back since to before that position. What followed there
    /// has the same positions, and is later.
    private static func copiedPosition(_ data: DataFolder, in log: EventLog, _ written: Date) throws -> UInt64? {
        guard let noted = UpkeepFile.events(data.keyBackupNote), noted <= log.head.rawValue else { return nil }
        if let root = UpkeepFile.word(after: "root", in: data.keyBackupNote) {
            return try log.root(through: Position(noted)).hex == root ? noted : nil
        }
        // Older versions noted no root.
        guard let restored = UpkeepFile.events(data.restoreNote), let time = time(of: data.restoreNote) else { return noted }
        return restored < noted && time >= written ? nil : noted
    }

    private static func time(of path: String) -> Date? { FileManager.default.attribute(.modificationDate, of: path) }

    static func restore(_ data: DataFolder) -> Checkup.Line? {
        guard FileManager.default.fileExists(atPath: data.restoreNote) else { return nil }
        let position = UpkeepFile.events(data.restoreNote).map { " of \($0) events" } ?? ""
        return Checkup.Line(
            "restore", .warning, "the log is a restored backup\(position): erasures after those, and before the restore, may be undone",
            "Have them made again, as the runbook says under After a restore, then: rm \(data.restoreNote)")
    }
}

enum UpkeepFile {
    static func events(_ path: String) -> UInt64? { word(after: "events", in: path).flatMap { UInt64($0) } }

    static func word(after name: String, in path: String) -> String? {
        guard let bytes = FileManager.default.contents(atPath: path) else { return nil }
        let words = String(decoding: bytes, as: UTF8.self).split(whereSeparator: \.isWhitespace)
        guard let place = words.firstIndex(where: { $0 == name }), place + 1 < words.count else { return nil }
        return String(words[place + 1])
    }
}
