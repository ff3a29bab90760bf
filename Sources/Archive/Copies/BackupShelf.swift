public import Audit
internal import Foundation
internal import LMDB
public import Loyalty
internal import LoyaltyCodec

/// A folder of timed backups, each named by its creation time. The value locks the folder for its lifetime, because only one process at a
/// time may create or remove backups there.
public struct BackupShelf {
    public let place: String
    private let lock: FileLock

    /// Locks the folder, and removes incomplete backups that killed processes left there.
    ///
    /// - Parameter seconds: how long to wait while another process has the folder locked.
    /// - Throws: ``AuditError/Code/occupied`` after the wait; ``AuditError/Code/missing`` if the folder is missing and must not be created;
    ///   ``AuditError/Code/output``.
    public init(_ place: String, makesFolder: Bool = true, waiting seconds: Int = 0) throws(AuditError) {
        try self.init(place, makesFolder: makesFolder, waiting: seconds) { Thread.sleep(forTimeInterval: 1) }
    }

    /// - Parameter pause: waits for a second; replaced in tests.
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

    /// Whether a name is that of an incomplete backup.
    private static func isLeftover(_ name: String) -> Bool {
        let suffix = PartialName.of("")
        return name.hasSuffix(suffix) && isName(String(name.dropLast(suffix.count)))
    }

    public func path(at time: Instant) -> String {
        let digits = time.rfc3339.prefix { $0 != "." && $0 != "Z" }.filter { $0 != "-" && $0 != ":" } + "Z"
        let names = [String(digits)] + (2...).prefix(98).map { digits + "-\($0)" }
        let files = FileManager.default
        return place + "/" + (names.first { !files.fileExists(atPath: place + "/" + $0) } ?? String(digits))
    }

    /// Lists the backups. Timers call this every hour, so only a small log is read in full, and only the files of the newest increment.
    ///
    /// - Throws: like ``BackupList/init(of:in:keys:verifying:)``.
    public func list(of folder: AuditedFolder) throws(AuditError) -> BackupList {
        let reader = ChainReader()
        var list = try BackupList(of: folder, in: place, inspecting: .ifQuick, reader: reader)
        // The next increment is made onto the newest one, which the list then names as damaged.
        while let newest = Self.last(of: list.good), !reader.hasWholeFiles(newest.path) {
            list = try BackupList(of: folder, in: place, inspecting: .ifQuick, reader: reader)
        }
        return list
    }

    /// - Parameter delivery: if given, every backup of the chain must have been sent to this command. The result is nil if the newest full
    ///   backup was never sent, because the destination then needs a full backup first.
    public func newest(in list: BackupList, sentBy delivery: Delivery? = nil) -> String? {
        let good = list.good
        guard let delivery else { return Self.last(of: good)?.path }
        // A full backup that was sent to another command is in another place, so no increment there can continue it.
        let full = Self.last(of: good.filter { $0.kind == .full && (delivery.hasSent($0.path) || !Delivery.isSent($0.path)) })
        return Self.last(of: good.filter { $0.chain.first == full?.path && $0.chain.allSatisfy(delivery.hasSent) })?.path
    }

    static func last(of copies: [BackupList.Copy]) -> BackupList.Copy? { copies.max { ($0.events, $0.path) < ($1.events, $1.path) } }
}
