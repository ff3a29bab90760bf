public import Audit
internal import EventLog
internal import Foundation
internal import LMDB
internal import LoyaltyCodec
internal import Merkle

/// Puts a backup in the place of a data folder's log, or where there is none: never over a server, never back in time.
///
/// A restore holds the writer's lock to its end, and compares what an interrupted attempt has set aside.
public struct Restore {
    private let copy: AuditedFolder
    private let target: DataFolder
    private let keys: String?
    private let options: Verification.Options

    /// - Parameters:
    ///   - copy: what ``Backup`` has made.
    ///   - target: the data folder; made when it is not there.
    ///   - keys: where the keys were copied to; nil leaves those of the target as they are.
    public init(from copy: AuditedFolder, to target: String, keys: String? = nil, options: Verification.Options) {
        (self.copy, self.target, self.keys, self.options) = (copy, DataFolder(target), keys, options)
    }

    /// Verifies the copy, and puts it in place if it is clean.
    ///
    /// - Returns: what was found in the copy; when that is not clean, nothing was changed.
    /// - Throws: ``AuditError/Code/input`` when a picture of the copy is damaged; ``AuditError/Code/occupied`` beside a server, or when
    ///   there are keys already; ``AuditError/Code/missing`` when there are none to put back; ``AuditError/Code/backwards`` when the
    ///   target's log or its checkpoint has events that the copy has not; ``AuditError/Code/space``.
    public func run(progress: @escaping @Sendable (UInt64) -> Void = { _ in }) throws(AuditError) -> VerifyReport {
        let report = try Verification(copy, options: options).run(progress: progress)
        guard report.isClean else { return report }
        try requireWholePictures()
        // Held to the end: a server that started meanwhile would lose the events that it acknowledged.
        let lock = try lockWriter()
        defer { extendLifetime(lock) }
        try requireForward()
        try requireKeys()
        try requireRoom()
        try putInPlace(hadLog: lock != nil)
        return report
    }

    /// Requires that the requested keys are in the backup and that the target has no others.
    private func requireKeys() throws(AuditError) {
        guard let keys else { return }
        if FileManager.default.fileExists(atPath: target.keys) {
            throw AuditError(.occupied, "\(target.keys) is there already.", remedy: "Leave --keys out, or move that folder away first.")
        }
        guard FileManager.default.fileExists(atPath: keys + "/data.mdb") else {
            throw AuditError(.missing, "there are no keys in \(keys).", remedy: "Name the folder that `backup --keys` has made.")
        }
    }

    /// The log that is there stays until the other is whole beside it.
    private func requireRoom() throws(AuditError) {
        let bytes: Int
        do throws(EventLogError) { bytes = try LogFile(directory: DataFolder(copy.path).log).file.byteCount } catch {
            throw AuditError(any: error)
        }
        try CopiedFolder.requireRoom(bytes + pictures.byteCount + Backup.roomBytes, at: target.log)
    }

    private func requireWholePictures() throws(AuditError) {
        let damaged = pictures.damaged
        guard let first = damaged.first else { return }
        throw AuditError(
            .input, "\(damaged.count) pictures of the backup are damaged, the first is \(pictures.path)/\(first.prefix(2))/\(first).",
            remedy: "Take another backup; or remove the damaged files from this one, and go on without those pictures.")
    }

    private var pictures: PictureFolder { PictureFolder(path: DataFolder(copy.path).blobs) }

    /// Takes the lock that a writer of the log holds; nil if there is no such folder.
    private func lockWriter() throws(AuditError) -> FileLock? {
        guard FileManager.default.fileExists(atPath: target.log) else { return nil }
        do throws(LMDBError) { return try FileLock(writerOf: target.log) } catch {
            throw error.code == .locked ? occupied(error.text) : AuditError(any: error)
        }
    }

    private func occupied(_ why: String) -> AuditError {
        AuditError(.occupied, "a server holds \(target.path): \(why).", remedy: "Stop it first, then try again.")
    }

    /// The log that an attempt which was ended halfway has set aside.
    private var before: String { target.log + ".before" }

    /// Requires that the copy has everything that the target has.
    private func requireForward() throws(AuditError) {
        do {
            let new = try LogFile(directory: DataFolder(copy.path).log)
            if let file = FileManager.default.contents(atPath: target.path + "/checkpoint") {
                let kept = try Checkpoint(text: try SignedNote([UInt8](file)).text.string)
                try require(kept.size, kept.root, "the checkpoint that was signed last", in: new)
            }
            for directory in [target.log, before] where FileManager.default.fileExists(atPath: directory + "/data.mdb") {
                let old = try LogFile(directory: directory)
                guard old.head > .start else { continue }
                try require(old.head.rawValue, try old.root(at: old.head.rawValue), "the log in \(directory)", in: new)
            }
        } catch let error as AuditError { throw error } catch {
            throw AuditError(.backwards, "what is in \(target.path) cannot be compared: \(error).", remedy: Self.remedy)
        }
    }

    private func require(_ size: UInt64, _ root: NodeHash, _ what: String, in new: LogFile) throws {
        let isBegun = try size <= new.head.rawValue && new.root(at: size) == root
        guard !isBegun else { return }
        let detail = "\(what) has \(size) events, and the backup with its \(new.head) does not go on from them."
        throw AuditError(.backwards, detail, remedy: Self.remedy)
    }

    private static let remedy = """
        Take a newer backup; or, to give up what is there and was perhaps seen by others, move that data folder away first, and keep it.
        """

    /// - Parameter hadLog: whether there was a folder for it, whose lock is held. Where there was none, a server may make one meanwhile.
    private func putInPlace(hadLog: Bool) throws(AuditError) {
        let files = FileManager.default
        do {
            try DurableNames.makeFolder(target.path, mode: 0o700, above: 0o755)
            try? files.removeItem(atPath: target.log + ".restored")
            try copyLog()
            if !hadLog, files.fileExists(atPath: target.log) { throw occupied("it has made a log while the backup was copied") }
            // The remains of an interrupted attempt. The backup has everything that they have.
            if hadLog, files.fileExists(atPath: before) { try files.removeItem(atPath: before) }
            // Derived data is of the log that goes.
            try? files.removeItem(atPath: target.derived)
            if hadLog { try DurableNames.move(target.log, to: before) }
            // A crash here leaves no log, and the next attempt puts it in place. Never over one that was made in this very moment: the
            // move refuses.
            try DurableNames.move(target.log + ".restored", to: target.log)
            if files.fileExists(atPath: before) { try files.removeItem(atPath: before) }
            try copyTheRest()
        } catch let error as AuditError { throw error } catch {
            guard let fault = FileFault(system: error) else { throw AuditError(any: error) }
            throw AuditError(.output, "cannot restore to \(target.path): \(fault).", remedy: fault.remedy)
        }
    }

    /// Puts the backup's log beside the one that is there; what is not whole is taken back.
    private func copyLog() throws(AuditError) {
        let new = try CopiedFolder(target.log + ".restored", for: .group)
        do throws(AuditError) {
            try new.copy(environment: DataFolder(copy.path).log, as: "")
            try new.complete()
        } catch {
            new.abandon()
            throw error
        }
    }

    private func copyTheRest() throws {
        let signed = DataFolder(copy.path)
        if try keep(signed.checkpoint, as: target.checkpoint) { _ = try keep(signed.verifierKey, as: target.verifierKey) }
        // Each beside what is there: names are digests, so none stands in the place of another.
        _ = try pictures.copy(to: PictureFolder(path: target.blobs))
        if let keys {
            let new = try CopiedFolder(target.keys, for: .ownerOnly)
            try new.copy(environment: keys, as: "")
            try new.complete()
        }
        try DurableNames.flush(target.path)
    }

    /// Puts a small file where there is none.
    ///
    /// - Returns: whether it did.
    private func keep(_ file: String, as other: String) throws -> Bool {
        let files = FileManager.default
        guard !files.fileExists(atPath: other), let bytes = files.contents(atPath: file) else { return false }
        try DurableFile.replace(other, with: [UInt8](bytes))
        return true
    }
}
