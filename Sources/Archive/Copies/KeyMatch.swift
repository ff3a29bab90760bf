internal import Audit
internal import EventLog
internal import Foundation
internal import LMDB
internal import Loyalty
internal import LoyaltyCodec
internal import Merkle

/// A folder of keys. Only names and the entries beside the keys are read, so no secret is needed.
struct KeyFolder {
    private let environment: Environment
    private let (keys, meta): (Table, Table)

    init(_ path: String) throws(LMDBError) {
        environment = try Environment.whole(path)
        (keys, meta) = (try environment.table("dataKeys"), try environment.table("meta"))
    }

    var owner: KeyOwner { KeyOwner(log: try? entry(KeyOwner.logEntry), searched: try? entry(KeyOwner.searchedEntry)) }

    func entry(_ name: String) throws(LMDBError) -> [UInt8]? { try value(Array(name.utf8), meta) }

    /// Names of keys are big-endian ids.
    func hasKey(_ account: AccountID) throws(LMDBError) -> Bool {
        try value(stride(from: 120, through: 0, by: -8).map { UInt8(truncatingIfNeeded: account.value >> UInt128($0)) }, keys) != nil
    }

    private func value(_ name: [UInt8], _ table: Table) throws(LMDBError) -> [UInt8]? {
        let environment = environment
        let snapshot = try environment.snapshot()
        guard let stored = try snapshot.get(table, name.span) else { return nil }
        return [UInt8](copying: stored)
    }
}

/// Determines whether keys belong to a log. With the keys of another log, the service would find no account and decrypt no field.
struct KeyMatch {
    private let log: EventLog
    private let signer: VerifierKey?

    init(_ log: EventLog, of folder: DataFolder) {
        self.log = log
        signer = VerifierKey(signing: folder, head: log.head.rawValue) { try log.root(through: Position($0)) }
    }

    func relation(of keys: String) -> KeyOwner.Relation {
        guard let folder = try? KeyFolder(keys) else { return .unknown }
        return folder.owner.relation(to: signer, head: log.head.rawValue) {
            try log.root(through: Position($0))
        } holdsKeys: {
            try log.holdsKeys(folder.hasKey)
        }
    }

    /// The log's newest accounts without a key in the folder; nil if there are none, or the folder is unreadable or of another log.
    func lackingKeys(in keys: String) -> LackingKeys? {
        guard relation(of: keys) != .foreign else { return nil }
        // The folder is opened after the scan of the log, because an erasure during the scan replaces the file of the keys.
        var folder: KeyFolder?
        let lacking = try? log.lackingKeys { account in
            let opened = try folder ?? KeyFolder(keys)
            folder = opened
            return try opened.hasKey(account)
        }
        return lacking.flatMap { $0.count > 0 ? $0 : nil }
    }
}

extension KeyMatch {
    func requireOwn(_ target: DataFolder) throws(AuditError) {
        guard relation(of: target.keys) == .foreign else { return }
        throw AuditError(
            .foreignKeys,
            "the keys in \(target.keys) belong to another log than the backup: with them nobody could sign in again, and nothing "
                + "personal could be read. Nothing was changed.",
            remedy: "Move them away and keep them, `mv \(target.keys) \(target.keys).other`, then restore with the keys of the backup's "
                + "log: --keys COPY, where COPY is a folder that `backup --keys` has made.")
    }

    /// Refuses if the target already has keys, or if the copy has none or belongs to another log than the backup.
    func require(_ copy: String, beside target: DataFolder) throws(AuditError) {
        if FileManager.default.fileExists(atPath: target.keys) {
            let other = "move it away and keep it: `mv \(target.keys) \(target.keys).other`"
            let remedy =
                switch relation(of: target.keys) {
                case .own: "Leave --keys out: those are the keys of this log."
                case .foreign: "It belongs to another log: \(other), then try again."
                case .unknown:
                    "If it is of the log of this backup, leave --keys out. If the folder was begun anew, it is of another log: "
                        + "\(other), then try again."
                }
            throw AuditError(.occupied, "\(target.keys) is there already.", remedy: remedy)
        }
        guard FileManager.default.fileExists(atPath: copy + "/data.mdb") else {
            throw AuditError(.missing, "there are no keys in \(copy).", remedy: "Name the folder that `backup --keys` has made.")
        }
        // The engine trusts its pages, so a damaged one would end this process.
        do throws(LMDBError) { try Environment.requireWholePages(in: copy) } catch {
            throw AuditError(
                .damaged, "the copy of the keys in \(copy) is damaged: \(error.text). Nothing was changed.",
                remedy: "Name another copy that `backup --keys` has made; from an older one, younger accounts register anew.")
        }
        guard relation(of: copy) == .foreign else { return }
        throw AuditError(
            .foreignKeys, "the keys in \(copy) belong to another log than the backup. Nothing was changed.",
            remedy: "Name a copy that `backup --keys` has made of the backup's log.")
    }
}
