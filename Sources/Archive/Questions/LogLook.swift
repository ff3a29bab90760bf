internal import Audit
internal import EventLog
internal import Foundation
internal import LMDB
internal import LoyaltyCodec
internal import Merkle

extension AuditError {
    static func damagedKeys(_ path: String, _ cause: LMDBError) -> Self {
        Self(
            .damaged, "damagedKeys: the keys in \(path) are damaged: \(cause.text). The service does not start with them.",
            remedy: HeadMend(in: path) == nil
                ? "Put the newest copy of them in their place, as the folder's owner: mv \(path) \(path).damaged && cp -a COPY/. \(path)"
                : "With the service stopped, as the folder's owner: greentea key mend --keys \(path)")
    }
}

/// The checkup's lines about the log, its checkpoint, keys and process, each a reason for which the service refuses to start.
enum LogLook {
    typealias Line = Checkup.Line

    /// - Parameter areWhole: whether the pages were read, as only those of a small file are, and are undamaged.
    static func pages(_ log: EventLog, areWhole: Bool) -> Line {
        let bytes = log.mapUsage.usedBytes
        let large = "\(bytes >> 20) MiB in use, and its file is too large to be looked into here, or was being written"
        let finding = areWhole ? "its pages are whole" : large
        return Line("log", .ok, "\(finding); greentea-audit verify also compares each event with its hash")
    }

    static func server(_ service: ServiceProcess?) -> Line {
        guard let service else {
            return Line(
                "server", .warning, "none that this user can see serves the folder",
                "If it should run: systemctl status greentea has its last words, and systemctl start greentea starts it.")
        }
        return Line("server", .ok, "process \(service.id) serves the folder")
    }

    /// Whether the checkpoint can be read, is of this log, and covers no more than the log's events.
    static func checkpoint(_ data: DataFolder, _ log: EventLog) -> Line {
        guard FileManager.default.fileExists(atPath: data.checkpoint) else {
            return Line(
                "checkpoint", .warning, if: log.head > .start, "there is none",
                "Compare the log with a copy of one: greentea-audit verify --data \(data.path) --checkpoint FILE --key KEY")
        }
        let unreadable = [data.checkpoint, data.verifierKey].first {
            FileManager.default.fileExists(atPath: $0) && FileManager.default.contents(atPath: $0) == nil
        }
        if let unreadable {
            return Line("checkpoint", .warning, "\(unreadable) cannot be read", "Look at its permissions and at the disk.")
        }
        guard let key = VerifierKey(inFile: data.verifierKey), let bytes = FileManager.default.contents(atPath: data.checkpoint) else {
            return Line(
                "checkpoint", .warning, "its signature cannot be checked: \(data.verifierKey) is not there, or is no key",
                "A start of the service writes that file anew, and nothing is lost.")
        }
        do throws(EventLogError) {
            let size = try log.verify(checkpoint: [UInt8](bytes), by: key).checkpoint.size
            return Line("checkpoint", .ok, "there is one, of \(size) of the log's \(log.head.rawValue) events")
        } catch {
            return Line(
                "checkpoint", .bad, "\(error.code): \(error.detail) The service does not start",
                error.code == .checkpointDamaged
                    ? CheckpointCheck.damageRemedy(in: data) : "The runbook has what to do, under \(error.code).")
        }
    }

    /// Nil if no account lacks a key.
    static func lackingKeys(_ data: DataFolder, _ log: EventLog) -> Line? {
        guard let lacking = KeyMatch(log, of: data).lackingKeys(in: data.keys) else { return nil }
        return Line("keys", .warning, lacking.finding, "With the service stopped, as the folder's owner: \(lacking.remedy(data.keys))")
    }

    /// Files are looked for, and not read.
    static func pictures(_ data: DataFolder, _ log: EventLog) -> Line {
        do throws(AuditError) {
            let missing = try PictureFolder(path: data.blobs).missing(shownBy: log, reading: false)
            guard let first = missing.first else { return Line("pictures", .ok, "each that shops show is there") }
            return Line(
                "pictures", .warning, "\(missing.count) that shops show have no file, such as \(first)",
                "Take them from a backup, as the runbook says under GreenTeaPicturesMissing; "
                    + "`greentea-audit verify --data \(data.path)` names all.")
        } catch { return Line("pictures", .warning, error.detail, error.remedy) }
    }

    /// Nil if all pages are whole or cannot be read.
    static func damagedKeys(_ data: DataFolder) -> Line? {
        do throws(LMDBError) { _ = try Environment.whole(data.keys) } catch {
            if error.code == .lockDamaged { return Line("keys", .bad, error.text, error.remedy) }
            guard error.code == .damaged || error.code == .foreign else { return nil }
            let fault = AuditError.damagedKeys(data.keys, error)
            return Line("keys", .bad, fault.detail, fault.remedy)
        }
        return nil
    }

    static func keys(_ data: DataFolder, _ log: EventLog) -> Line? {
        guard KeyMatch(log, of: data).relation(of: data.keys) == .foreign else { return nil }
        return Line(
            "keys", .bad, "foreignKeys: they belong to another log, and the service does not start with them",
            "Put the keys of this log in their place, as the folder's owner: mv \(data.keys) \(data.keys).other && "
                + "cp -a COPY/. \(data.keys)")
    }
}
