public import Audit
internal import Foundation
internal import LMDB
public import Loyalty
internal import LoyaltyCodec

/// A folder with backups that are named by their time, as timers create them.
///
/// Only one process at a time may create or remove backups there. The lock ends with the process.
public struct BackupShelf {
    /// The path of the folder.
    public let place: String
    private let lock: FileLock

    /// Locks the folder, creates it if needed, and removes the remains of killed attempts. Files with other names are not touched.
    ///
    /// - Parameter makesFolder: whether a missing folder is created.
    /// - Throws: ``AuditError/Code/occupied`` while another process holds it; ``AuditError/Code/missing`` if the folder is missing and must
    ///   not be created; ``AuditError/Code/output``.
    public init(_ place: String, makesFolder: Bool = true) throws(AuditError) {
        self.place = BackupChain.plain(place)
        let files = FileManager.default
        if !makesFolder, !files.fileExists(atPath: self.place) {
            throw AuditError(.missing, "there is no folder \(place).", remedy: "Name the folder that backups are made in.")
        }
        do {
            if !files.fileExists(atPath: self.place) { try DurableNames.makeFolder(self.place, mode: 0o700, above: 0o755) }
            do throws(LMDBError) { lock = try FileLock(self.place + "/.lock") } catch {
                guard error.code == .locked else { throw error }
                throw AuditError(
                    .occupied, "another backup is being made in \(place): \(error.text).", remedy: "Wait for its end, then try again.")
            }
            for name in try files.contentsOfDirectory(atPath: self.place) where Self.isLeftover(name) {
                try files.removeItem(atPath: self.place + "/" + name)
            }
        } catch let error as AuditError { throw error } catch { throw AuditError(writing: place, error) }
    }

    /// Whether a name is one that ``path(at:)`` gives.
    static func isName(_ name: String) -> Bool { name.wholeMatch(of: /[0-9]{8}T[0-9]{6}Z(-[0-9]{1,2})?/) != nil }

    /// Whether a name is one that ``path(at:)`` gives, with the mark of an incomplete folder.
    private static func isLeftover(_ name: String) -> Bool {
        let suffix = PartialName.of("")
        return name.hasSuffix(suffix) && isName(String(name.dropLast(suffix.count)))
    }

    /// A free path for a backup of this moment: `20261125T033000Z`.
    public func path(at time: Instant) -> String {
        let digits = time.rfc3339.prefix { $0 != "." && $0 != "Z" }.filter { $0 != "-" && $0 != ":" } + "Z"
        let names = [String(digits)] + (2...).prefix(98).map { digits + "-\($0)" }
        let files = FileManager.default
        return place + "/" + (names.first { !files.fileExists(atPath: place + "/" + $0) } ?? String(digits))
    }

    /// The newest backup whose events are a prefix of the log; nil if there is none. It reads few pages of the log, because timers ask it
    /// every hour.
    ///
    /// - Throws: like ``BackupList/init(of:in:keys:verifying:)``.
    public func newest(of folder: AuditedFolder) throws(AuditError) -> String? {
        let list = try BackupList(of: folder, in: place, inspecting: .ifQuick, reader: ChainReader())
        let good = list.copies.filter { if case .good = $0.standing { true } else { false } }
        return good.max { ($0.events, $0.path) < ($1.events, $1.path) }?.path
    }
}
