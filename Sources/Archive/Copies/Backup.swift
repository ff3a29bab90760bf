public import Audit
internal import EventLog
internal import Foundation
internal import LMDB
internal import LoyaltyCodec
public import Merkle

/// A copy of a data folder's log, pictures and last checkpoint. A server may write during the backup.
///
/// The backup never contains the accounts' keys, because a copy of a destroyed key would undo the erasure of a person. Keys are copied only
/// to a separate folder, which MUST be stored in another place and deleted soon.
public struct Backup {
    /// The result of a backup.
    public struct Summary: Hashable, Sendable {
        public let events: UInt64
        public let root: NodeHash?
        /// Without the pictures; for an increment, its files alone.
        public let bytes: Int
        public let hasKeys: Bool
        public let pictures: Int
        /// Names of damaged pictures, which were left out.
        public let damagedPictures: [String]
        /// Pictures that are shown but have no file, each as the 32 digits with which its file's name would begin.
        public var missingPictures: [String] = []
        public var parent: String?
        public var after: UInt64 = 0
    }

    /// Receives the folder with the complete copy before the folder gets its final name. If the closure throws, no backup is made.
    public typealias Delivery = (_ folder: String, _ name: String) throws(AuditError) -> Void

    /// Free space in bytes for page tables and small files.
    static let roomBytes = 1 << 20

    private let source: DataFolder
    private let target: String
    private let keys: String?
    private let deliver: Delivery?

    public init(of folder: AuditedFolder, to target: String, keys: String? = nil, deliver: Delivery? = nil) {
        (source, self.target, self.keys, self.deliver) = (DataFolder(folder.path), target, keys, deliver)
    }

    /// Makes the backup, which is durable on return.
    ///
    /// The log's pages are checked before the copying, and the copied records are compared with the Merkle tree afterwards. The log is
    /// copied record by record, because a long snapshot would make a running server's file grow.
    ///
    /// - Parameter begun: called with the path of each unfinished folder as soon as this process owns the folder. Until then, the folder
    ///   may be another process's work and MUST NOT be removed.
    /// - Throws: ``AuditError/Code/input`` if the folder for the keys and the backup are not apart, or if a source file cannot be read;
    ///   ``AuditError/Code/missing`` if there are no keys to copy; ``AuditError/Code/damaged``, ``AuditError/Code/occupied``,
    ///   ``AuditError/Code/space``, ``AuditError/Code/output``, ``AuditError/Code/log``.
    public func run(begun: (_ partial: String) -> Void = { _ in }) throws(AuditError) -> Summary {
        try Self.requireApart(target, keys)
        try AuditedFolder(source.path).requireWholePages()
        try CopiedFolder.requireRoom(try usedBytes() + pictures.byteCount + Self.roomBytes, at: target)
        let completion = Completion(source: source, keys: keys, deliver: deliver)
        return try completion.make(target, begun: begun) { copy throws(AuditError) in try fillWithLog(copy) }
    }

    private func fillWithLog(_ copy: CopiedFolder) throws(AuditError) -> Summary {
        // The checkpoint is read before the log, so the copied log has every event that the checkpoint covers. The verifier key is public.
        let signed = try Completion.signedFiles(of: source)
        try copy.copy(log: source.log, as: "log")
        try AuditedFolder(copy.partial).requireWholeLog()
        for (path, bytes) in signed {
            try copy.write([UInt8](bytes), as: (path as NSString).lastPathComponent)
        }
        // A picture is stored before an event names it. So pictures that are copied after the log include all that the copied events name.
        let kept = PictureFolder(path: copy.partial + "/blobs")
        let copied = try pictures.copy(to: kept)
        try copy.write(BackupPictures(of: copied.names, in: kept).bytes(), as: BackupPictures.fileName)
        return try summary(of: copy.partial, copied)
    }

    private var pictures: PictureFolder { PictureFolder(path: source.blobs) }

    /// Empty if the events cannot be decoded, which must not prevent the backup.
    private var missingPictures: [String] {
        guard let log = try? AuditedFolder(source.path).log(.readOnly, inspecting: .nothing) else { return [] }
        defer { try? log.close() }
        return (try? pictures.missing(shownBy: log, reading: false)) ?? []
    }

    /// Requires that neither folder is inside the other. Keys that are stored with a backup would survive the erasure of their owners.
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

struct Completion {
    let source: DataFolder
    let keys: String?
    let deliver: Backup.Delivery?

    /// - Throws: ``AuditError/Code/input`` for a file that cannot be read, which the backup would otherwise lack.
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

    /// The keys are copied last, so they include the keys for all events in the backup. After a failure, neither copy is left.
    func make<Made>(
        _ target: String, begun: (_ partial: String) -> Void, fill: (CopiedFolder) throws(AuditError) -> Made
    ) throws(AuditError) -> Made {
        // The folder for the keys is locked first, so that a concurrent backup to the same folder fails before anything is copied.
        let secrets = try claimed(begun)
        do throws(AuditError) {
            let copy = try CopiedFolder(target, for: .owner)
            begun(copy.partial)
            do throws(AuditError) {
                let made = try fill(copy)
                // The keys are copied only after the delivery, which can take long, so that a kill during the delivery leaves no copy of
                // the keys.
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

    /// The operator may have deleted the earlier copy.
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
            let remedy = RemovedFile.remedy(ofKeys: source.keys) + "; or leave --keys out."
            throw AuditError(.missing, "there are no keys in \(source.keys).", remedy: remedy)
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
