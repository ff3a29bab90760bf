internal import Audit
internal import EventLog
internal import Foundation
internal import LoyaltyCodec
internal import Merkle

/// Compares a log with a signed checkpoint, which is read first, because a server may sign events beyond those that are verified.
struct CheckpointCheck {
    enum Outcome {
        case none
        /// The number of events that the checkpoint covers and the log has.
        case holds(UInt64)
        case broken(Finding)
    }

    private let path: String
    private let key: VerifierKey?
    private let bytes: Data?
    private let isUnreadable: Bool
    private let isAskedFor: Bool
    private let folder: DataFolder

    /// Reads only the checkpoint.
    ///
    /// - Parameter file: the checkpoint's path; nil for the folder's own checkpoint.
    /// - Throws: ``AuditError/Code/missing`` if the named file is not a checkpoint, which says nothing about the log.
    init(folder: AuditedFolder, file: String?, key: VerifierKey?) throws(AuditError) {
        self.folder = DataFolder(folder.path)
        path = file ?? self.folder.checkpoint
        self.key = key
        // A server may sign its first checkpoint meanwhile, so the file is looked for before it is read.
        let isThere = FileManager.default.fileExists(atPath: path)
        bytes = FileManager.default.contents(atPath: path)
        isUnreadable = isThere && bytes == nil
        isAskedFor = file != nil || key != nil
        if let file { try Self.requireNote(file, bytes) }
    }

    private static func requireNote(_ file: String, _ bytes: Data?) throws(AuditError) {
        let remedy = "Name a checkpoint that was kept elsewhere, as the service shows it at /checkpoint."
        guard let bytes else { throw AuditError(.missing, "there is no file \(file), or it cannot be read.", remedy: remedy) }
        do {
            _ = try Checkpoint(text: try SignedNote([UInt8](bytes)).text.string)
        } catch { throw AuditError(.missing, "\(file) is no checkpoint: \(error).", remedy: remedy) }
    }

    func outcome(of log: LogFile) -> Outcome {
        guard let bytes else {
            if isUnreadable { return .broken(finding("it cannot be read.", remedy: "Check its owner and permissions, then verify again.")) }
            return isAskedFor ? .broken(finding("there is no checkpoint.")) : .none
        }
        do { return try compare(try checkpoint([UInt8](bytes)), log) } catch { return .broken(finding("\(error).")) }
    }

    private func checkpoint(_ bytes: [UInt8]) throws(MerkleError) -> Checkpoint {
        let note = try SignedNote(bytes)
        // As a start does. Without a legible key beside it, only size and root are compared.
        let own = isAskedFor ? nil : VerifierKey(inFile: folder.verifierKey)
        return if let key = key ?? own { try TrustPolicy(key).open(note).checkpoint } else { try Checkpoint(text: note.text.string) }
    }

    private func compare(_ checkpoint: Checkpoint, _ log: LogFile) throws -> Outcome {
        guard checkpoint.size <= log.head.rawValue else {
            return .broken(
                finding(
                    "it was signed for \(checkpoint.size) events, and the log has \(log.head): it was cut, or put back.",
                    remedy: "An older copy of the log lies here, or its end is lost: find the newer copy, or restore the newest backup."))
        }
        guard log.tree != nil else { return .broken(finding("the log has no tree to compare it with.")) }
        let root = try log.root(at: checkpoint.size)
        guard root == checkpoint.root else {
            let what = "the first \(checkpoint.size) events have the root \(root.base64), not \(checkpoint.root.base64)."
            return .broken(finding(what))
        }
        return .holds(checkpoint.size)
    }

    private func finding(_ what: String, remedy: String? = nil) -> Finding {
        let damage = !isAskedFor && isDamaged ? Self.damageRemedy(in: folder) : nil
        return Finding(.checkpoint, file: path, what, remedy: damage ?? remedy)
    }

    /// Whether the bytes are those of no note, or not those that were signed, so that they say nothing about the log.
    var isDamaged: Bool {
        guard let bytes else { return false }
        do throws(MerkleError) {
            let note = try SignedNote([UInt8](bytes))
            _ = try Checkpoint(text: note.text.string)
            if let key = VerifierKey(inFile: folder.verifierKey) { _ = try TrustPolicy(key).open(note) }
            return false
        } catch { return error.code != .unsigned && error.code != .wrongOrigin }
    }

    /// The remedy for a damaged checkpoint of the folder. A full backup, which has a list of its pictures, needs no checkpoint, and those
    /// of newer backups cover more than its log.
    static func damageRemedy(in folder: DataFolder) -> String {
        if FileManager.default.fileExists(atPath: folder.path + "/" + BackupPictures.fileName) {
            return "The log itself may be whole: move the checkpoint away, `mv \(folder.checkpoint) \(folder.checkpoint).damaged`, and "
                + "restore the backup without."
        }
        return "The log itself may be whole: put the newest copy of the checkpoint in its place, as the folder's owner: "
            + "cp -a BACKUPS/LAST/checkpoint* \(folder.path)/ (the runbook, checkpointDamaged)."
    }
}

extension TreeHasher {
    /// The root over a row of hashes, whose number MUST be 0 or a power of two.
    mutating func completeRoot(of hashes: some Collection<NodeHash>) -> NodeHash {
        var row = Array(hashes)
        var count = row.count
        while count > 1 {
            count /= 2
            for index in 0..<count { row[index] = node(row[2 * index], row[2 * index + 1]) }
        }
        return row.first ?? Self.emptyRoot
    }
}
