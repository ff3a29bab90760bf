internal import EventLog
internal import Foundation
internal import LMDB
internal import LoyaltyCodec
public import Merkle

/// A copy of a data folder's log as of one commit, made while a server writes, with the checkpoint that it covers and the images.
///
/// The accounts' keys are not in it: erasing a person destroys a key, and a copy of it here would bring it back. They go to a folder
/// of their own, if one is named; it must be kept apart, and not for long.
public struct Backup {
    /// What a copy amounts to.
    public struct Summary: Hashable, Sendable {
        /// The events copied.
        public let events: UInt64
        /// Their root; nil for a log without a tree.
        public let root: NodeHash?
        /// Bytes of the copied log.
        public let bytes: Int
        /// Whether the keys were copied, too.
        public let hasKeys: Bool
        /// The pictures copied.
        public let pictures: Int
        /// Names of pictures that are damaged, and so were left out: an earlier backup may have them whole.
        public let damagedPictures: [String]
    }

    /// Bytes more than the log that the disk must have: page tables and small files.
    private static let roomBytes = 1 << 20

    private let source: DataFolder
    private let target: String
    private let keys: String?

    /// - Parameters:
    ///   - target: the folder to make; it may exist, but must be empty.
    ///   - keys: the folder to copy the keys to; nil leaves them out.
    public init(of folder: AuditedFolder, to target: String, keys: String? = nil) {
        (source, self.target, self.keys) = (DataFolder(folder.path), target, keys)
    }

    /// Makes the copy. Durable on return; when it fails, nothing is left.
    ///
    /// - Throws: ``AuditError/Code/occupied``, ``AuditError/Code/space``, ``AuditError/Code/log``.
    public func run() throws(AuditError) -> Summary {
        try CopiedFolder.requireRoom(try usedBytes() + pictures.byteCount + Self.roomBytes, at: target)
        let copy = try CopiedFolder(target)
        let copied: PictureFolder.Copied
        do throws(AuditError) {
            // Before the log: whatever was signed by now is in every later state of it.
            let checkpoint = FileManager.default.contents(atPath: source.path + "/checkpoint")
            try copy.copy(environment: source.log, as: "log")
            if let checkpoint { try copy.write([UInt8](checkpoint), as: "checkpoint") }
            // After the log: whatever an event of it names was there before the event, and is never removed.
            copied = try pictures.copy(to: PictureFolder(path: copy.partial + "/blobs"))
            try copyKeys()
            try copy.complete()
        } catch {
            copy.abandon()
            throw error
        }
        return try summary(copied)
    }

    private var pictures: PictureFolder { PictureFolder(path: source.blobs) }

    private func copyKeys() throws(AuditError) {
        guard let keys else { return }
        let copy = try CopiedFolder(keys)
        try copy.copy(environment: source.keys, as: "")
        try copy.complete()
    }

    private func usedBytes() throws(AuditError) -> Int {
        do throws(EventLogError) { return try LogFile(directory: source.log).file.byteCount } catch { throw AuditError(any: error) }
    }

    private func summary(_ copied: PictureFolder.Copied) throws(AuditError) -> Summary {
        do throws(EventLogError) {
            let log = try LogFile(directory: DataFolder(target).log)
            return Summary(
                events: log.head.rawValue, root: try? log.root(at: log.head.rawValue), bytes: log.file.byteCount, hasKeys: keys != nil,
                pictures: copied.count, damagedPictures: copied.damaged)
        } catch { throw AuditError(any: error) }
    }
}
