public import Audit
internal import Foundation
internal import LMDB
public import Loyalty
internal import LoyaltyCodec

/// A folder of backups whose names are the times at which they were made. Timers make such backups.
///
/// Only one process at a time may create or remove backups in the folder. So this value locks the folder for its own lifetime. The lock
/// ends at the latest when the process ends.
public struct BackupShelf {
    /// The path of the folder.
    public let place: String
    private let lock: FileLock

    /// Locks the folder, creates it if needed, and removes the incomplete backups that killed processes left there. Files with other names
    /// are not touched.
    ///
    /// - Parameters:
    ///   - makesFolder: whether a missing folder is created.
    ///   - seconds: how long to wait while another process has the folder locked.
    /// - Throws: ``AuditError/Code/occupied`` if another process still has the folder locked after the wait; ``AuditError/Code/missing`` if
    ///   the folder is missing and must not be created; ``AuditError/Code/output``.
    public init(_ place: String, makesFolder: Bool = true, waiting seconds: Int = 0) throws(AuditError) {
        try self.init(place, makesFolder: makesFolder, waiting: seconds) { Thread.sleep(forTimeInterval: 1) }
    }

    /// - Parameter pause: a function that waits for a second. Tests pass a function that returns at once.
    init(_ place: String, makesFolder: Bool = true, waiting seconds: Int, pause: () -> Void) throws(AuditError) {
        self.place = BackupChain.plain(place)
        let files = FileManager.default
        if !makesFolder, !files.fileExists(atPath: self.place) {
            throw AuditError(.missing, "there is no folder \(place).", remedy: "Name the folder that backups are made in.")
        }
        do {
            if !files.fileExists(atPath: self.place) { try DurableNames.makeFolder(self.place, mode: 0o700, above: 0o755) }
            lock = try Self.lock(self.place, seconds, pause)
            for name in try files.contentsOfDirectory(atPath: self.place) where Self.isLeftover(name) {
                try files.removeItem(atPath: self.place + "/" + name)
            }
        } catch let error as AuditError { throw error } catch { throw AuditError(writing: place, error) }
    }

    private static func lock(_ place: String, _ seconds: Int, _ pause: () -> Void) throws -> FileLock {
        var left = seconds
        while true {
            do throws(LMDBError) { return try FileLock(place + "/.lock") } catch {
                guard error.code == .locked else { throw error }
                guard left > 0 else {
                    throw AuditError(
                        .occupied, "another backup is being made or removed in \(place): \(error.text).",
                        remedy: "Wait for its end, or give --wait with the seconds to wait, then try again.")
                }
            }
            left -= 1
            pause()
        }
    }

    /// Whether a name has the form that ``path(at:)`` produces.
    static func isName(_ name: String) -> Bool { name.wholeMatch(of: /[0-9]{8}T[0-9]{6}Z(-[0-9]{1,2})?/) != nil }

    /// Whether a name has the form that ``path(at:)`` produces, followed by the suffix that marks an incomplete backup.
    private static func isLeftover(_ name: String) -> Bool {
        let suffix = PartialName.of("")
        return name.hasSuffix(suffix) && isName(String(name.dropLast(suffix.count)))
    }

    /// Returns an unused path in the folder for a backup that is made at the given time. The backup's name is that time, like
    /// `20261125T033000Z`, followed by a number if a backup has that name already.
    public func path(at time: Instant) -> String {
        let digits = time.rfc3339.prefix { $0 != "." && $0 != "Z" }.filter { $0 != "-" && $0 != ":" } + "Z"
        let names = [String(digits)] + (2...).prefix(98).map { digits + "-\($0)" }
        let files = FileManager.default
        return place + "/" + (names.first { !files.fileExists(atPath: place + "/" + $0) } ?? String(digits))
    }

    /// Returns the backup with the most events, out of those whose events are a prefix of the log; nil if there is none. All pages of a log
    /// are read only if its file is small. Of a larger log, only a few pages are read, because timers call this every hour.
    ///
    /// - Parameter delivery: if given, the result is a backup whose whole chain was sent to the command of this delivery. The result is nil
    ///   if the newest full backup was never sent, because the destination then needs a full backup first.
    /// - Throws: like ``BackupList/init(of:in:keys:verifying:)``.
    public func newest(of folder: AuditedFolder, sentBy delivery: Delivery? = nil) throws(AuditError) -> String? {
        newest(in: try list(of: folder), sentBy: delivery)
    }

    /// Lists the backups, of which no page, record or picture is read that ``newest(of:sentBy:)`` does not read.
    ///
    /// - Throws: like ``BackupList/init(of:in:keys:verifying:)``.
    public func list(of folder: AuditedFolder) throws(AuditError) -> BackupList {
        try BackupList(of: folder, in: place, inspecting: .ifQuick, reader: ChainReader())
    }

    /// Like ``newest(of:sentBy:)``, for backups that were listed.
    public func newest(in list: BackupList, sentBy delivery: Delivery? = nil) -> String? {
        let good = list.good
        guard let delivery else { return Self.last(of: good)?.path }
        // Full backups that were sent only to another command are ignored, because that command put them in another place.
        let full = Self.last(of: good.filter { $0.kind == .full && (delivery.hasSent($0.path) || !Delivery.isSent($0.path)) })
        return Self.last(of: good.filter { $0.chain.first == full?.path && $0.chain.allSatisfy(delivery.hasSent) })?.path
    }

    static func last(of copies: [BackupList.Copy]) -> BackupList.Copy? {
        copies.max { ($0.events, $0.path) < ($1.events, $1.path) }
    }
}
