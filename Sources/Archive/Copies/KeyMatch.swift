internal import Audit
internal import EventLog
internal import Foundation
internal import LMDB
internal import LoyaltyCodec
internal import Merkle

extension KeyOwner {
    /// Reads a folder of keys; nil if there are none, or if they cannot be read.
    init?(inFolder path: String) {
        guard FileManager.default.fileExists(atPath: path + "/data.mdb"), let store = try? Environment(directory: path, access: .readOnly),
            let meta = try? store.table("meta")
        else { return nil }
        self.init(log: try? Self.value(Self.logEntry, meta, store), searched: try? Self.value(Self.searchedEntry, meta, store))
    }

    private static func value(_ name: String, _ table: Table, _ environment: Environment) throws(LMDBError) -> [UInt8]? {
        let name = Array(name.utf8)
        let snapshot = try environment.snapshot()
        guard let stored = try snapshot.get(table, name.span) else { return nil }
        return (0..<stored.count).map { stored[$0] }
    }
}

/// Compares folders of keys with a data folder's log, or with a backup's. Keys of another log match no phone, no code and no sealed field.
struct KeyMatch {
    private let log: LogFile
    private let signer: VerifierKey?

    /// - Parameter folder: the data folder or the backup with the log.
    /// - Throws: ``AuditError/Code/log``.
    init(logOf folder: DataFolder) throws(AuditError) {
        do throws(EventLogError) { log = try LogFile(directory: folder.log) } catch { throw AuditError(any: error) }
        signer = VerifierKey(inFile: folder.verifierKey)
    }

    /// Whether keys belong to the log.
    ///
    /// - Parameters:
    ///   - keys: the folder of the keys.
    ///   - home: the data folder that has served with these keys, if any. Its verifier key tells where the keys themselves do not.
    func relation(of keys: String, in home: DataFolder? = nil) -> KeyOwner.Relation {
        guard let owner = KeyOwner(inFolder: keys) else { return .unknown }
        let relation = owner.relation(to: signer, head: log.head.rawValue) { try log.root(at: $0) }
        guard relation == .unknown, let signer, let home, let other = VerifierKey(inFile: home.verifierKey) else { return relation }
        return other == signer ? .own : .foreign
    }
}

/// The refusals of a restore because of keys.
extension KeyMatch {
    /// Refuses to restore a log beside keys of another one.
    func requireOwn(_ target: DataFolder) throws(AuditError) {
        guard relation(of: target.keys, in: target) == .foreign else { return }
        throw AuditError(
            .foreignKeys,
            "the keys in \(target.keys) belong to another log than the backup: with them nobody could sign in again, and nothing "
                + "personal could be read. Nothing was changed.",
            remedy: "Move them away and keep them, `mv \(target.keys) \(target.keys).other`, then restore with the keys of the backup's "
                + "log: --keys COPY, where COPY is a folder that `backup --keys` has made.")
    }

    /// Refuses to restore a copy of keys over keys that are there, and a copy that belongs to another log.
    func require(_ copy: String, beside target: DataFolder) throws(AuditError) {
        if FileManager.default.fileExists(atPath: target.keys) {
            let other = "move it away and keep it: `mv \(target.keys) \(target.keys).other`"
            let remedy =
                switch relation(of: target.keys, in: target) {
                case .own: "Leave --keys out: those are the keys of this log, and no copy is newer."
                case .foreign: "It belongs to another log: \(other), then try again."
                case .unknown:
                    "If it is of the log of this backup, leave --keys out: no copy is newer. If the folder was begun anew, it is of "
                        + "another log: \(other), then try again."
                }
            throw AuditError(.occupied, "\(target.keys) is there already.", remedy: remedy)
        }
        guard FileManager.default.fileExists(atPath: copy + "/data.mdb") else {
            throw AuditError(.missing, "there are no keys in \(copy).", remedy: "Name the folder that `backup --keys` has made.")
        }
        guard relation(of: copy) == .foreign else { return }
        throw AuditError(
            .foreignKeys, "the keys in \(copy) belong to another log than the backup. Nothing was changed.",
            remedy: "Name a copy that `backup --keys` has made of the backup's log.")
    }
}
