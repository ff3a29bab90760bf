public import Audit
internal import EventLog
internal import Foundation
internal import LMDB
internal import LoyaltyCodec
internal import Merkle

/// Replaces the log of a data folder by a backup. Refuses while a server runs, and if events would be lost.
///
/// If an interrupted restore set an old log aside, the backup must have that log's events as well.
public struct Restore {
    /// The result of a restore.
    public struct Outcome: Hashable, Sendable {
        public let report: VerifyReport
        /// Names of pictures that are damaged or missing in the backup and that the target lacks, in order.
        public internal(set) var lostPictures: [String] = []
        /// Shown pictures that neither the backup nor the target has.
        public internal(set) var missingPictures: [String] = []
        /// Whether ``lostPictures`` may be incomplete, because the backup's list of pictures is damaged.
        public internal(set) var lacksPictureList = false
        /// Positions of events that neither the backup nor the salvaged file has.
        public internal(set) var lostEvents: [ClosedRange<UInt64>] = []
        /// Whether the restored log has every event that the target had, so that no erasure is undone.
        public internal(set) var losesNothing = false
        public internal(set) var advice: [String] = []

        /// Whether everything in the backup was restored.
        public var isClean: Bool { report.isClean && lostPictures.isEmpty && !lacksPictureList && lostEvents.isEmpty }
    }

    private let copy: AuditedFolder
    private let target: DataFolder
    private let keys: String?
    private let name: String
    private let isComplete: Bool
    private let options: Verification.Options

    /// - Parameters:
    ///   - name: the backup's name in the note ``LoyaltyCodec/DataFolder/restoreNote``; nil to use the backup's path.
    ///   - keys: the folder with copied keys; nil leaves the target's keys as they are.
    ///   - isComplete: whether the copy is known to have every event of the log that it replaces.
    public init(
        from copy: AuditedFolder, to target: String, keys: String? = nil, name: String? = nil, isComplete: Bool = false,
        options: Verification.Options
    ) {
        self.isComplete = isComplete
        (self.copy, self.target, self.keys, self.options) = (copy, DataFolder(target), keys, options)
        self.name = name ?? copy.path
    }

    /// Verifies the copy, and puts it in place if there are no findings.
    ///
    /// - Parameter begun: called with the path of the unfinished copy of the keys, as soon as that folder belongs to this restore.
    /// - Throws: ``AuditError/Code/input`` if the pictures cannot be listed; ``AuditError/Code/occupied`` while a server runs, or if the
    ///   target has keys and is to get others; ``AuditError/Code/missing`` or ``AuditError/Code/foreignKeys`` for the given keys;
    ///   ``AuditError/Code/backwards`` if the target's log or checkpoint has events that the copy lacks; ``AuditError/Code/space``;
    ///   ``AuditError/Code/output``, after which only a part may be restored.
    public func run(
        progress: @escaping @Sendable (UInt64) -> Void = { _ in }, begun: (_ partial: String) -> Void = { _ in }
    ) throws(AuditError) -> Outcome {
        let report = try Verification(copy, options: options).run(progress: progress)
        guard report.isClean else { return Outcome(report: report) }
        let (names, lacksList) = try copiedPictures()
        // The lock is held until the end, because a server that started meanwhile would lose events that it had acknowledged.
        let lock = try Self.lockWriter(of: target)
        defer { extendLifetime(lock) }
        let losesNothing = try requireForward() || isComplete
        // The events that an earlier restore has perhaps lost are still lost.
        let isRestored = FileManager.default.fileExists(atPath: target.restoreNote)
        try requireKeys()
        try requireRoom()
        try putInPlace(names, hadLog: lock != nil, note: losesNothing ? nil : note(of: report), begun)
        let restored = PictureFolder(path: target.blobs)
        var outcome = Outcome(report: report, lostPictures: restored.lacking(names), lacksPictureList: lacksList)
        outcome.losesNothing = losesNothing && !isRestored
        let lost = Set(outcome.lostPictures.map { String($0.prefix(32)) })
        outcome.missingPictures = try restored.missing(report.shownPictures, reading: true).filter { !lost.contains($0) }
        return outcome
    }

    private func note(of report: VerifyReport) -> String {
        "events \(report.head)  from \(name)" + (keys.map { "  keys from \($0)" } ?? "") + "\n"
    }

    static func requireNoServer(in target: DataFolder) throws(AuditError) {
        let lock = try lockWriter(of: target)
        extendLifetime(lock)
    }

    private func requireKeys() throws(AuditError) {
        let log = try copy.log(.readOnly, inspecting: .nothing)
        defer { try? log.close() }
        let match = KeyMatch(log, of: DataFolder(copy.path))
        guard let keys else { return try match.requireOwn(target) }
        try match.require(keys, beside: target)
    }

    /// The present log stays until the restored log beside it is complete.
    private func requireRoom() throws(AuditError) {
        let bytes: Int
        do throws(EventLogError) { bytes = try LogFile(directory: DataFolder(copy.path).log).file.byteCount } catch {
            throw AuditError(any: error)
        }
        try CopiedFolder.requireRoom(bytes + (try pictures.byteCount) + Backup.roomBytes, at: target.log)
    }

    private func copiedPictures() throws(AuditError) -> (names: [String], lacksList: Bool) {
        var names = Set(try pictures.names)
        do throws(LinkFault) {
            if let list = try BackupPictures(in: copy.path) { names.formUnion(list.sizes.keys) }
            return (names.sorted(), false)
        } catch { return (names.sorted(), true) }
    }

    private var pictures: PictureFolder { PictureFolder(path: DataFolder(copy.path).blobs) }

    private static func lockWriter(of target: DataFolder) throws(AuditError) -> FileLock? {
        guard FileManager.default.fileExists(atPath: target.log) else { return nil }
        do throws(LMDBError) { return try FileLock(writerOf: target.log) } catch {
            throw error.code == .locked ? occupied(target, error.text) : AuditError(any: error)
        }
    }

    private static func occupied(_ target: DataFolder, _ why: String) -> AuditError {
        AuditError(.occupied, "a server holds \(target.path): \(why).", remedy: "Stop it first, then try again.")
    }

    private var before: String { target.log + ".before" }

    /// Requires that the copy has all events of the target's log, of its checkpoint, and of an old log that was set aside.
    ///
    /// - Returns: whether an undamaged log, with all events of the checkpoint, was compared, so that nothing else was there.
    private func requireForward() throws(AuditError) -> Bool {
        do {
            var (signed, compared): (UInt64, UInt64) = (0, 0)
            let new = try LogFile(directory: DataFolder(copy.path).log)
            if FileManager.default.fileExists(atPath: target.checkpoint) {
                guard let file = FileManager.default.contents(atPath: target.checkpoint) else { throw unreadableCheckpoint }
                let kept = try Checkpoint(text: try SignedNote([UInt8](file)).text.string)
                try require(kept.size, kept.root, "the checkpoint that was signed last", in: new)
                signed = kept.size
            }
            for directory in [target.log, before] where FileManager.default.fileExists(atPath: directory + "/data.mdb") {
                let old = try LogFile(directory: directory)
                guard old.head > .start else { continue }
                try require(old.head.rawValue, try old.root(at: old.head.rawValue), "the log in \(directory)", in: new)
                // A damaged head page hides the last commit.
                if old.file.headFindings().isEmpty { compared = max(compared, old.head.rawValue) }
            }
            return compared > 0 && compared >= signed
        } catch let error as AuditError { throw error } catch {
            throw AuditError(.backwards, "what is in \(target.path) cannot be compared: \(error).", remedy: Self.remedy)
        }
    }

    private var unreadableCheckpoint: AuditError {
        AuditError(
            .backwards, "\(target.checkpoint) cannot be read, so the backup cannot be compared with it.",
            remedy: "Check its owner and permissions, then try again.")
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

    /// - Parameters:
    ///   - hadLog: whether the target's log exists and is locked. If not, a server may create a log during the restore.
    ///   - note: the record of this restore, written before the log is replaced, so that no crash leaves a restored log without the note;
    ///     nil if no event may be lost.
    private func putInPlace(_ names: [String], hadLog: Bool, note: String?, _ begun: (_ partial: String) -> Void) throws(AuditError) {
        let files = FileManager.default
        do {
            try DurableNames.makeFolder(target.path, mode: 0o700, above: 0o755)
            try? files.removeItem(atPath: target.log + ".restored")
            try copyLog()
            // After a success, the copy has another name.
            defer { try? files.removeItem(atPath: target.log + ".restored") }
            if !hadLog, files.fileExists(atPath: target.log) {
                throw Self.occupied(target, "it has made a log while the backup was copied")
            }
            // The keys are copied before the log is replaced, so that unreadable keys change nothing.
            let secrets = try copiedKeys(begun)
            do { try replaceLog(names, hadLog: hadLog, note: note, secrets) } catch {
                secrets?.abandon()
                throw error
            }
        } catch let error as AuditError { throw error } catch {
            guard let fault = FileFault(system: error) else { throw AuditError(any: error) }
            throw AuditError(.output, "cannot restore to \(target.path): \(fault).", remedy: fault.remedy)
        }
    }

    /// Puts the copied log in place, and then restores the rest.
    private func replaceLog(_ names: [String], hadLog: Bool, note: String?, _ secrets: CopiedFolder?) throws {
        let files = FileManager.default
        if hadLog, files.fileExists(atPath: before) { try files.removeItem(atPath: before) }
        if let note {
            try DurableFile.replace(target.restoreNote, with: Array(note.utf8))
            try? files.setAttributes([.posixPermissions: 0o644], ofItemAtPath: target.restoreNote)
        }
        try dropEmptyPair()
        // The derived data was computed from the old log.
        try? files.removeItem(atPath: target.derived)
        if hadLog { try DurableNames.move(target.log, to: before) }
        // After a crash here, the target has no log, and the next restore copies the backup again. The move refuses to replace a log that
        // was created meanwhile.
        try DurableNames.move(target.log + ".restored", to: target.log)
        if files.fileExists(atPath: before) { try files.removeItem(atPath: before) }
        try copyTheRest(names, secrets)
    }

    /// Copies the keys beside the target's place for them. A failed copy is removed, because an erasure would not find the keys there.
    private func copiedKeys(_ begun: (_ partial: String) -> Void) throws(AuditError) -> CopiedFolder? {
        guard let keys else { return nil }
        let new = try CopiedFolder(target.keys, for: .ownerOnly)
        begun(new.partial)
        do throws(AuditError) { try new.copy(environment: keys, as: "") } catch {
            new.abandon()
            throw error
        }
        return new
    }

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

    private func copyTheRest(_ names: [String], _ secrets: CopiedFolder?) throws {
        let signed = DataFolder(copy.path)
        let files = FileManager.default
        if !files.fileExists(atPath: target.checkpoint), let checkpoint = files.contents(atPath: signed.checkpoint) {
            // The verifier key is written before the checkpoint, so that after a crash between the writes the next restore writes both
            // again.
            if let key = files.contents(atPath: signed.verifierKey) { try DurableFile.replace(target.verifierKey, with: [UInt8](key)) }
            try DurableFile.replace(target.checkpoint, with: [UInt8](checkpoint))
        }
        // The keys get their name before the pictures are copied, so that a kill meanwhile leaves no unnamed keys.
        try secrets?.complete()
        // Names contain digests, so no picture replaces another one.
        _ = try pictures.copy(names, to: PictureFolder(path: target.blobs))
        try DurableNames.flush(target.path)
    }

    /// Removes a checkpoint that covers no event, and a verifier key without a checkpoint. Another key than the backup's usually signed
    /// them.
    private func dropEmptyPair() throws {
        let files = FileManager.default
        let isThere = files.fileExists(atPath: target.checkpoint)
        guard !isThere || Checkpoint.size(inFile: target.checkpoint) == 0 else { return }
        for path in [target.checkpoint, target.verifierKey] where files.fileExists(atPath: path) { try files.removeItem(atPath: path) }
        try DurableNames.flush(target.path)
    }
}
