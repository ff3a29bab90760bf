public import Audit
public import EventLog
internal import Foundation
internal import LMDB
internal import LoyaltyCodec

/// Checks a data folder, its disk, backups and service for faults that prevent running or restoring. Each finding that is not good has a
/// remedy.
public struct Checkup: Sendable {
    /// A subject that was checked, and the finding.
    public struct Line: Hashable, Sendable {
        /// The severity of a finding.
        public enum Verdict: String, Hashable, Sendable {
            case ok
            case warning
            case bad
        }

        public let subject: String
        public let verdict: Verdict
        public let finding: String
        public let remedy: String

        init(_ subject: String, _ verdict: Verdict, _ finding: String, _ remedy: String = "") {
            (self.subject, self.verdict, self.finding, self.remedy) = (subject, verdict, finding, remedy)
        }

        /// - Parameter isSo: whether the verdict and the remedy hold; otherwise the subject is well.
        init(_ subject: String, _ verdict: Verdict, if isSo: Bool, _ finding: String, _ remedy: String) {
            self.init(subject, isSo ? verdict : .ok, finding, isSo ? remedy : "")
        }
    }

    /// Days. An older backup gives a warning.
    private static let backupDaysMax = 2.0
    /// Days. If the newest full backup is older, at least one weekly backup was not made.
    private static let fullBackupDaysMax = 9.0
    /// Days. An older copy of the keys lacks the accounts of the last month.
    private static let keyBackupDaysMax = 35.0
    private static let drillDaysMax = 9.0
    /// Time synchronisation explains no larger difference between the machine's clock and the newest event.
    private static let clockSecondsMax: Int64 = 5
    static let daySeconds = 86_400.0
    /// A disk or memory map that will be full in fewer days gives a warning.
    private static let fullDaysMin = 14.0

    public let lines: [Line]

    public var isWell: Bool { lines.allSatisfy { $0.verdict != .bad } }

    /// Nil omits the check of that parameter.
    ///
    /// - Throws: ``AuditError/Code/log``; ``AuditError/Code/damaged`` for a damaged page of a log of at most ``LogInspection/quickBytes``.
    public init(
        of folder: AuditedFolder, now: Timestamp, service: ServiceProcess? = nil, descriptors: DescriptorLook? = nil,
        certificate: CertificateLook? = nil, fonts: FontLook? = nil
    ) throws(AuditError) {
        let data = DataFolder(folder.path)
        // A symbolic link has an owner and a mode of its own, so links are resolved.
        let real = DataFolder(URL(filePath: folder.path).resolvingSymlinksInPath().path)
        // Only the pages of a small log are checked first. A damaged page of a larger log may end this process with a signal.
        let areWhole = try folder.requireWholePages(.ifQuick)
        let log = try folder.log(.readOnly, inspecting: .nothing)
        let pace: Pace
        do { pace = try Pace(of: log, now: now) } catch { throw AuditError(any: error) }
        let backup = "greentea-audit backup --data \(data.path) --in BACKUPS"
        let drill = "greentea-audit drill --data \(data.path) --in BACKUPS --scratch DIR"
        let around = [descriptors?.line, certificate?.line(at: now.microseconds / 1_000_000), fonts?.line]
        lines =
            [
                Self.disk(data, pace), Self.owners(real), Self.secrets(real), try Self.clock(log, now),
                LogLook.pages(log, areWhole: areWhole), LogLook.pictures(data, log), LogLook.checkpoint(data, log), LogLook.server(service),
                Self.age("backup", data.backupNote, now, daysMax: Self.backupDaysMax, backup),
                Self.age("full backup", data.fullBackupNote, now, daysMax: Self.fullBackupDaysMax, backup),
                Self.age("drill", data.drillNote, now, daysMax: Self.drillDaysMax, drill),
                Self.map(data, log, pace), VersionLook.line(data, service),
            ] + MapLook.lines(of: data)
            + ([
                Self.models(data), Self.keys(data, log, now, backup + " --keys COPY"), LogLook.lackingKeys(data, log),
                ErasureLook.restore(data),
            ] + around)
            .compactMap(\.self)
    }

    private static func disk(_ data: DataFolder, _ pace: Pace) -> Line {
        let system = try? FileManager.default.attributesOfFileSystem(forPath: data.path)
        guard let free = (system?[.systemFreeSize] as? NSNumber)?.int64Value, let size = (system?[.systemSize] as? NSNumber)?.int64Value
        else { return Line("disk", .warning, "its size is not told", "Look with df.") }
        let days = pace.days(until: Double(free), used: Double(SizeReport.bytes(of: data)))
        let finding = "\(free >> 20) MiB of \(size >> 20) MiB free\(pace.text(days))"
        if DiskMount.isReadOnly(at: data.path) {
            return Line(
                "disk", .bad, "it is mounted read-only, so nothing can be stored",
                "The kernel log (dmesg) has the cause. Then: mount -o remount,rw (findmnt -T \(data.path) names the mount).")
        }
        return disk(DiskRoom(free: free, of: size), isFullSoon: days.map { $0 < fullDaysMin } ?? false, finding)
    }

    /// - Parameter isFullSoon: whether the disk will be full in fewer than ``fullDaysMin`` days at the present pace.
    static func disk(_ room: DiskRoom, isFullSoon: Bool, _ finding: String) -> Line {
        if room == .full {
            return Line(
                "disk", .bad, finding,
                "It is full: free space. The service then goes on by itself: its unit starts it again every five seconds.")
        }
        return Line(
            "disk", .warning, if: room == .low || isFullSoon, finding, "Free space or move the data folder: a full disk stops the service.")
    }

    /// Finds files with another owner than the folder. A tool that ran as root usually created them, and the service may not open them.
    private static func owners(_ data: DataFolder) -> Line {
        let files = FileManager.default
        func owner(_ path: String) -> Int? { files.number(.ownerAccountID, of: path) }
        guard let own = owner(data.path) else { return Line("owner", .warning, "the folder's owner is not told", "Look with ls -ld.") }
        var strange: [String] = []
        let found = files.enumerator(atPath: data.path)
        while let name = found?.nextObject() as? String {
            // The root of a file system has this folder.
            if name == "lost+found" {
                found?.skipDescendants()
                continue
            }
            let path = data.path + "/" + name
            if let other = owner(path), other != own { strange.append(path) }
        }
        guard let first = strange.first else { return Line("owner", .ok, "all files are of user \(own)") }
        return Line(
            "owner", .bad, "\(strange.count) files are not of user \(own), such as \(first)",
            "chown -R --reference=\(data.path) \(data.path)")
    }

    private static func secrets(_ data: DataFolder) -> Line {
        let mode = FileManager.default.number(.posixPermissions, of: data.path) ?? 0
        return Line(
            "permissions", .warning, if: mode & 0o007 != 0, "the folder has mode 0\(String(mode & 0o7777, radix: 8))",
            "chmod 700 \(data.path): everybody on this machine can look into it.")
    }

    private static func clock(_ log: EventLog, _ now: Timestamp) throws(AuditError) -> Line {
        guard let newest = try log.newestEvent else { return Line("clock", .ok, "the log is empty") }
        let time = newest.event.time.microseconds
        let (lag, isBeyond) = time.subtractingReportingOverflow(now.microseconds)
        guard time >= 0, !isBeyond else {
            return Line("clock", .bad, "the newest event's time, \(time) µs, is impossible", AuditError.damageRemedy)
        }
        let lead = lag / 1_000_000
        let isBehind = lead > clockSecondsMax
        return Line(
            "clock", .bad, if: isBehind, isBehind ? "it is \(lead) s behind the newest event" : "it is not behind the newest event",
            "Check the time synchronisation before you start the service.")
    }

    private static func age(_ subject: String, _ path: String, _ now: Timestamp, daysMax: Double, _ command: String) -> Line {
        guard let written: Date = FileManager.default.attribute(.modificationDate, of: path) else {
            return Line(subject, .warning, "none is noted", command)
        }
        let days = max(0, Double(now.microseconds) / 1e6 - written.timeIntervalSince1970) / daySeconds
        return Line(subject, .warning, if: days > daysMax, "the last good one was \(Int(days)) days ago", command)
    }

    /// Missing or foreign keys, or the age of their last copy; nil if there are neither events nor keys.
    private static func keys(_ data: DataFolder, _ log: EventLog, _ now: Timestamp, _ command: String) -> Line? {
        guard FileManager.default.fileExists(atPath: data.keys + "/data.mdb") else {
            guard log.head > .start else { return nil }
            return Line("keys", .bad, "there is a log, and no keys: the service does not start", RemovedFile.remedy(ofKeys: data.keys))
        }
        if let damaged = LogLook.damagedKeys(data) { return damaged }
        if let foreign = LogLook.keys(data, log) { return foreign }
        if let undoing = ErasureLook.keyCopy(data, log, command) { return undoing }
        return age("key copy", data.keyBackupNote, now, daysMax: keyBackupDaysMax, command)
    }

    /// Nil if no model was searched.
    private static func models(_ data: DataFolder) -> Line? {
        let search = ModelSearch(of: data)
        if let (model, detail) = search.damaged {
            return Line(
                "models", .bad, "\(model) is damaged: \(detail)",
                search.isServed
                    ? "Nothing to do: within a minute the service rebuilds it. Look at the disk (dmesg, smartctl)."
                    : "Start the service, which rebuilds it. Look at the disk (dmesg, smartctl).")
        }
        if search.whole == 0 { return nil }
        return Line("models", .ok, "the pages of \(search.whole) of \(ModelSearch.count) are whole")
    }

    private static func map(_ data: DataFolder, _ log: EventLog, _ pace: Pace) -> Line {
        let map = MapLook.limited(log.mapUsage, "logMapGib", of: data.log, data)
        let days = pace.days(until: Double(map.limitBytes - map.usedBytes), used: Double(map.usedBytes))
        return MapLook.line("log map", map, "--log-map-gib", pace.text(days), isFullSoon: days.map { $0 < fullDaysMin } ?? false)
    }
}
