public import Audit
internal import EventLog
internal import Foundation
internal import LMDB
internal import LoyaltyCodec
public import Merkle

/// A copy of a data folder's log up to one position, with the folder's pictures and its last checkpoint. A server may write during the
/// backup.
///
/// The accounts' keys are not in the backup: erasing a person destroys the person's key, and a copy of that key would undo the erasure. If
/// the caller gives a folder for keys, the keys are copied to that folder. That folder MUST be stored in another place, and deleted soon.
public struct Backup {
    /// The result of a backup.
    public struct Summary: Hashable, Sendable {
        /// The number of events in the log after a restore of the backup. For an increment, this includes the events of the earlier backups
        /// of its chain.
        public let events: UInt64
        /// The root of the log's tree at position ``events``; nil for a log that has no Merkle tree.
        public let root: NodeHash?
        /// The size of the copied log in bytes; for an increment, the total size of its files without the pictures.
        public let bytes: Int
        /// Whether the accounts' keys were copied as well.
        public let hasKeys: Bool
        /// The number of pictures that the backup contains.
        public let pictures: Int
        /// Names of pictures that were left out because they are damaged. An earlier backup may have undamaged copies.
        public let damagedPictures: [String]
        /// The pictures that shops and campaigns show and whose files the data folder lacks, each as the 32 digits with which its file's
        /// name begins.
        public var missingPictures: [String] = []
        /// The path of the backup that an increment continues; nil for a full backup.
        public var parent: String?
        /// The position before the first event of an increment; 0 for a full backup.
        public var after: UInt64 = 0
    }

    /// A function that receives the folder with the complete copy, and the name that the backup will have. It is called before the folder
    /// gets that name. If it throws, no backup is made.
    public typealias Delivery = (_ folder: String, _ name: String) throws(AuditError) -> Void

    /// Free space in bytes that a backup needs in addition to the log and the pictures, for page tables and small files.
    static let roomBytes = 1 << 20

    private let source: DataFolder
    private let target: String
    private let keys: String?
    private let deliver: Delivery?

    /// - Parameters:
    ///   - target: the folder to create; it may exist if it is empty.
    ///   - keys: the folder to copy the keys to; nil leaves them out.
    ///   - deliver: called with the complete backup; never with the keys.
    public init(of folder: AuditedFolder, to target: String, keys: String? = nil, deliver: Delivery? = nil) {
        (source, self.target, self.keys, self.deliver) = (DataFolder(folder.path), target, keys, deliver)
    }

    /// Makes the backup. It is durable on return. After a failure, no files of it are left.
    ///
    /// Before the copying, the log's pages are checked as of one commit, which takes as long as reading the file once. After the copying,
    /// the copy's records are compared with the copy's Merkle tree. Without these checks, backups of a damaged log would eventually replace
    /// the last good backup.
    ///
    /// The log is copied record by record and not under one snapshot, because a long snapshot would make a running server's file grow. The
    /// keys, some hundred bytes for each account, are copied under one snapshot.
    ///
    /// - Parameter begun: called with the path of each unfinished folder, as soon as that folder belongs to this process. Before that, a
    ///   folder at the path may be another process's unfinished work, which the caller MUST not remove.
    /// - Throws: ``AuditError/Code/input`` if the folder for the keys and the backup are not apart, if the pictures cannot be listed, or if
    ///   the checkpoint cannot be read;
    ///   ``AuditError/Code/missing`` if keys are to be copied and there are none; ``AuditError/Code/damaged``,
    ///   ``AuditError/Code/occupied``, ``AuditError/Code/space``, ``AuditError/Code/output``, ``AuditError/Code/log``.
    public func run(begun: (_ partial: String) -> Void = { _ in }) throws(AuditError) -> Summary {
        try Self.requireApart(target, keys)
        try AuditedFolder(source.path).requireWholePages()
        try CopiedFolder.requireRoom(try usedBytes() + pictures.byteCount + Self.roomBytes, at: target)
        let completion = Completion(source: source, keys: keys, deliver: deliver)
        return try completion.make(target, begun: begun) { copy throws(AuditError) in try fillWithLog(copy) }
    }

    private func fillWithLog(_ copy: CopiedFolder) throws(AuditError) -> Summary {
        // The checkpoint is read before the log, so the copied log contains every event that the copied checkpoint covers. The verifier key
        // may be in the backup, because it is public.
        let signed = try Completion.signedFiles(of: source)
        try copy.copy(log: source.log, as: "log")
        try AuditedFolder(copy.partial).requireWholeLog()
        for (path, bytes) in signed {
            try copy.write([UInt8](bytes), as: (path as NSString).lastPathComponent)
        }
        // Pictures are copied after the log. A picture is stored before an event names it, so the copy has every picture that the copied
        // events name, except damaged pictures and those that were removed in the meantime.
        let kept = PictureFolder(path: copy.partial + "/blobs")
        let copied = try pictures.copy(to: kept)
        try copy.write(BackupPictures(of: copied.names, in: kept).bytes(), as: BackupPictures.fileName)
        // The summary is read before the backup gets its name. If reading failed later, a good backup would be reported as a failure.
        return try summary(of: copy.partial, copied)
    }

    private var pictures: PictureFolder { PictureFolder(path: source.blobs) }

    /// Empty also if the events cannot be decoded, which the verification reports and which must not prevent the backup.
    private var missingPictures: [String] {
        guard let log = try? AuditedFolder(source.path).log(.readOnly, inspecting: .nothing) else { return [] }
        defer { try? log.close() }
        return (try? pictures.missing(shownBy: log, reading: false)) ?? []
    }

    /// Requires that neither the backup nor the folder for the keys is inside the other. Keys that are stored with a backup would survive
    /// the erasure of their owners.
    static func requireApart(_ target: String, _ keys: String?) throws(AuditError) {
        guard let keys else { return }
        let paths = [target, keys].map { URL(fileURLWithPath: $0).standardizedFileURL.resolvingSymlinksInPath().path + "/" }
        guard paths[0].hasPrefix(paths[1]) || paths[1].hasPrefix(paths[0]) else { return }
        throw AuditError(
            .input, "the keys would lie in the backup, or the backup in the folder of the keys.",
            remedy: "Name two folders, neither in the other: keys are kept apart, and not for long.")
    }

    private func usedBytes() throws(AuditError) -> Int {
        do throws(EventLogError) { return try LogFile(directory: source.log).file.byteCount } catch { throw AuditError(any: error) }
    }

    private func summary(of copy: String, _ copied: PictureFolder.Copied) throws(AuditError) -> Summary {
        do throws(EventLogError) {
            let log = try LogFile(directory: DataFolder(copy).log)
            defer { log.letGo() }
            return Summary(
                events: log.head.rawValue, root: try? log.root(at: log.head.rawValue), bytes: log.file.byteCount, hasKeys: keys != nil,
                pictures: copied.count, damagedPictures: copied.damaged, missingPictures: missingPictures)
        } catch { throw AuditError(any: error) }
    }
}

/// The steps that full backups and increments have in common: the backup's files are written and sent, the keys are copied, and both
/// folders get their final names.
struct Completion {
    let source: DataFolder
    let keys: String?
    let deliver: Backup.Delivery?

    /// Reads the checkpoint and its verifier key, as far as the data folder has them.
    ///
    /// - Throws: ``AuditError/Code/input`` if one of them exists and cannot be read. Without this error, a backup would lack it unnoticed.
    static func signedFiles(of source: DataFolder) throws(AuditError) -> [(path: String, bytes: Data)] {
        var files: [(path: String, bytes: Data)] = []
        for path in [source.checkpoint, source.verifierKey] where FileManager.default.fileExists(atPath: path) {
            guard let bytes = FileManager.default.contents(atPath: path) else {
                throw AuditError(.input, "\(path) cannot be read.", remedy: "Check its owner and permissions, then try again.")
            }
            files.append((path, bytes))
        }
        return files
    }

    /// Makes a backup, whose files `fill` writes, and then copies the keys. Because the keys are copied last, their copy has the keys for
    /// all events in the backup, except keys that were destroyed in the meantime. After a failure, neither the backup nor the copy of the
    /// keys is left.
    ///
    /// - Parameter begun: called with the path of each unfinished folder, once that folder is locked.
    func make<Made>(
        _ target: String, begun: (_ partial: String) -> Void, fill: (CopiedFolder) throws(AuditError) -> Made
    ) throws(AuditError) -> Made {
        // The folder for the copied keys is locked first, so that a second backup with the same folder of keys is refused before anything
        // is copied or delivered.
        let secrets = try claimed(begun)
        do throws(AuditError) {
            let copy = try CopiedFolder(target, for: .owner)
            begun(copy.partial)
            do throws(AuditError) {
                let made = try fill(copy)
                // Sending the backup to the delivery's command can take long. The keys are copied only after the delivery, so that a
                // process which is killed during the delivery leaves no copy of the keys.
                try deliver?(copy.partial, BackupChain.name(target))
                try complete(copy, with: secrets)
                return made
            } catch {
                copy.abandon()
                throw error
            }
        } catch {
            secrets?.abandon()
            throw error
        }
    }

    /// Copies only the keys, without a backup. The caller uses this if a backup would contain nothing new. The keys are copied even then,
    /// because the operator may have deleted the folder with their earlier copy.
    ///
    /// - Parameter begun: called with the path of the unfinished folder, once that folder is locked.
    func copyKeys(begun: (_ partial: String) -> Void) throws(AuditError) {
        guard let secrets = try claimed(begun) else { return }
        do throws(AuditError) {
            try secrets.copy(environment: source.keys, as: "")
            try secrets.complete()
        } catch {
            secrets.abandon()
            throw error
        }
    }

    private func claimed(_ begun: (_ partial: String) -> Void) throws(AuditError) -> CopiedFolder? {
        guard let keys else { return nil }
        guard FileManager.default.fileExists(atPath: source.keys + "/data.mdb") else {
            throw AuditError(.missing, "there are no keys in \(source.keys).", remedy: "Leave --keys out, or put the keys back first.")
        }
        do throws(LMDBError) { _ = try Environment.whole(source.keys) } catch {
            throw error.code == .damaged ? .damagedKeys(source.keys, error) : AuditError(any: error)
        }
        let secrets = try CopiedFolder(keys, for: .ownerOnly)
        begun(secrets.partial)
        return secrets
    }

    private func complete(_ copy: CopiedFolder, with secrets: CopiedFolder?) throws(AuditError) {
        guard let secrets else { return try copy.complete() }
        try secrets.copy(environment: source.keys, as: "")
        try secrets.complete()
        do throws(AuditError) { try copy.complete() } catch {
            secrets.revoke()
            throw error
        }
    }
}
