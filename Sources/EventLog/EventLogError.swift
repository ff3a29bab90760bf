internal import Foundation
package import LMDB

/// A failure of the log, for the operator's log. The text has no payload and no tag value, but may have paths.
public struct EventLogError: Error, Sendable, CustomStringConvertible {
    public let code: Code
    /// The exact failure, in English.
    public let detail: String
    /// The position of the record concerned, if any.
    public let position: Position?
    /// The conflict, for ``Code-swift.struct/conditionFailed``.
    public let conflict: AppendConflict?
    /// The storage layer's error, if that layer failed.
    package let storage: LMDBError?
    /// The failed file is made again from the log.
    private let isDerived: Bool

    /// Creates an error; public so that other implementations of ``BatchDurability`` can report failures.
    public init(_ code: Code, _ detail: String, position: Position? = nil, conflict: AppendConflict? = nil) {
        self.init(code, detail, position: position, conflict: conflict, of: nil)
    }

    private init(
        _ code: Code, _ detail: String, position: Position? = nil, conflict: AppendConflict? = nil, of storage: LMDBError?,
        isDerived: Bool = false
    ) {
        self.isDerived = isDerived
        (self.code, self.detail, self.position, self.conflict, self.storage) = (code, detail, position, conflict, storage)
    }

    package init(_ error: LMDBError) { self.init(.storage, error.statement, of: error) }

    init(derived error: LMDBError) { self.init(.storage, error.statement, of: error, isDerived: true) }

    /// Whether the disk or the log's maximum size is exhausted. The failed transaction stored nothing.
    public var isOutOfSpace: Bool { storage?.code == .diskFull || storage?.code == .mapFull }

    /// A missing, foreign or damaged file gets its own code.
    init(opening error: LMDBError) {
        switch error.code {
        case .missing: self.init(.missing, "\(error.path) (\(error.call): \(error.text)).")
        case .foreign: self.init(.notALog, "\(error.path) (\(error.call): \(error.text)).")
        case .damaged: self.init(.damaged, "\(error.path) (\(error.call): \(error.text)).")
        default: self.init(error)
        }
    }

    init(_ conflict: AppendConflict) { self.init(.conditionFailed, "\(conflict).", conflict: conflict) }

    /// - Parameter cause: the reason for a permanent stop; nil for an orderly one. A writer that never became the appender stored nothing,
    ///   so its caller gets the cause itself.
    init(_ refusal: GroupCommitRefusal, cause: (any Error)?) {
        switch (refusal, cause) {
        case (.queueFull, _): self.init(.queueFull, "too many appends wait already.")
        case (.stopped, nil): self.init(.writerStopped, "the writer was stopped.")
        case (.stopped, let cause as EventLogError) where [.appenderTaken, .readOnly, .closed].contains(cause.code): self = cause
        case (.stopped, let cause?): self.init(.stopped, "an earlier failure: \(cause)")
        }
    }

    init(any error: any Error) {
        switch error {
        case let error as EventLogError: self = error
        case let error as LMDBError: self.init(error)
        default: self.init(.storage, "\(error)")
        }
    }

    /// The remedy, in one or two sentences.
    public var remedy: String {
        guard let storage else { return (code == .conditionFailed ? conflict?.remedy : nil) ?? code.remedy }
        if storage.code != .damaged { return storage.remedy }
        return isDerived ? "Nothing to do: it is made again from the log by itself." : Code.damaged.remedy
    }

    /// Code, detail, position and remedy in one line.
    public var description: String {
        let place = position.map { " at position \($0)" } ?? ""
        return "\(code)\(place): \(detail) \(code == .storage && storage == nil ? "" : remedy)"
    }
}

extension EventLogError {
    /// The class of a failure. Compare with `==`, or switch with a `default`; codes may be added.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        /// The code's name.
        public let description: String
        let remedy: String

        private init(_ name: String, _ remedy: String) { (description, self.remedy) = (name, remedy) }

        public static let missing = Code("missing", "Check the path, or open the log for writing once to create it.")
        /// The folder contains something that is not a log.
        public static let notALog = Code(
            "notALog",
            "Check the path; never point the log at another program's files. If it is the log's own, its head pages are damaged: salvage "
                + "its events.")
        /// A newer version of this library wrote the log.
        public static let formatTooNew = Code("formatTooNew", "Use the version of the program that wrote it, or a newer one.")
        /// Schema and log name one number differently, an event or query uses an unknown number, or the schema has an invalid name or
        /// number.
        public static let schemaConflict = Code(
            "schemaConflict", "Name every type and kind of tag in the schema, and give no number a second name.")
        /// The log is damaged: a record or a hash of the tree is unreadable or missing.
        public static let damaged = Code(
            "damaged", "Stop, keep a copy of the folder, salvage what is left, and restore the log from a backup.")
        /// A record would exceed ``LogLimits/recordBytesMax``, or a batch ``LogLimits/batchBytesMax``.
        public static let recordTooLarge = Code(
            "recordTooLarge", "Put less into the payload; large things belong beside the log, named by their digest.")
        /// An event has more than ``LogLimits/tagsMax`` tags.
        public static let tooManyTags = Code("tooManyTags", "Tag an event only with what it must be found by.")
        /// An invalid query or append: no items or too many, an item with neither types nor tags, a kind that is not indexed, or no events.
        public static let invalidQuery = Code("invalidQuery", "Correct the query or the call.")
        /// The caller's position lies beyond the head, perhaps because the log was rolled back.
        public static let afterBeyondHead = Code(
            "afterBeyondHead", "Start again from a position that the log has; it may have been restored from an older copy.")
        /// Events match an ``AppendCondition``, so nothing was appended; ``EventLogError/conflict`` names them.
        public static let conditionFailed = Code("conditionFailed", "Read what has happened since, and decide again.")
        /// A decision met a conflict at every attempt, so nothing was appended; ``EventLogError/conflict`` is the last.
        public static let contended = Code("contended", "Try again later, ask for fewer events, or allow more attempts.")
        /// The writer's queue is full, so nothing was appended.
        public static let queueFull = Code("queueFull", "Try again in a moment.")
        /// The text is not a valid name for a log.
        public static let invalidOrigin = Code(
            "invalidOrigin",
            "Name it like a URL without scheme and trailing slash, such as log.example/tea, without spaces and plus signs.")
        /// The log has another name than the requested one.
        public static let otherOrigin = Code(
            "otherOrigin", "A log keeps its name for ever, since its checkpoints carry it: open it without naming one, or by that name.")
        /// The log is older than its last signed checkpoint: acknowledged events are missing.
        public static let rolledBack = Code(
            "rolledBack",
            "Restore the newest copy of the log, with the checkpoint that belongs to it. An operator who knows why the log is another "
                + "one may accept it: the checkpoint is then set aside, and every holder of a copy can prove that history changed.")
        /// A checkpoint does not belong to this log: it was signed with another key, or covers other events.
        public static let checkpointMismatch = Code("checkpointMismatch", rolledBack.remedy)
        /// A checkpoint's bytes are not those that were signed: they are no signed note, or the signature is wrong.
        public static let checkpointDamaged = Code(
            "checkpointDamaged", "The log itself may be whole. Put the newest copy of the checkpoint in its place; each backup has one.")
        /// The folder has the checkpoint or the keys of a log whose file is gone.
        public static let logLost = Code("logLost", "Put the file back; if it is gone for good, restore the newest backup.")
        public static let readOnly = Code("readOnly", "Open the log for writing.")
        /// The log already has an appender, perhaps that of a ``LogWriter``.
        public static let appenderTaken = Code(
            "appenderTaken", "Send everything through the one appender or writer, or release or stop it before making another.")
        /// An earlier failure stopped this appender. Usually a commit failed, and its outcome is unknown.
        public static let stopped = Code("stopped", "End the process; the next start finds out what was stored.")
        /// The ``LogWriter`` was stopped before it took this append, so nothing was appended.
        public static let writerStopped = Code("writerStopped", "Append before the writer is stopped, or make another writer.")
        /// The log was closed: nothing was appended, and there are no more subscriptions or checkpoints.
        public static let closed = Code("closed", "Open the log again.")
        /// A file or folder outside the LMDB environment could not be read, written, made or removed.
        public static let io = Code("io", "Check the folder's owner, permissions and free space.")
        /// The storage layer failed: a full disk (``EventLogError/isOutOfSpace``), a folder that is open elsewhere, or a failing disk.
        public static let storage = Code("storage", "See the storage layer's message.")
        /// Another process has become the shared log's writer, so this one must not write any more.
        public static let superseded = Code(
            "superseded", "End the process; the next start follows the new writer, and finds out what was stored.")
        /// The shared log and this log have different histories, or the shared log's data is not authentic.
        public static let logMismatch = Code(
            "logMismatch", "Stop this node, verify the logs of all nodes, and restore the one that differs from a copy of another.")
        /// The shared log lacks events that this log has, because its storage was restored or lost.
        public static let engineBehind = Code(
            "engineBehind",
            "Bring back the shared log's storage. If it is gone for good, begin it anew at the end of the longest verified log.")
        /// The shared log gave no answer: a request may have been carried out, and may still be.
        public static let unreachable = Code(
            "unreachable", "Check the network, and that a majority of the shared log's members is running and has room on its disk.")
        /// The source no longer has the entries that follow this log's last event.
        public static let trimmed = Code(
            "trimmed", "Fetch the events from another node that has them, or restore a newer backup, and follow again.")
    }
}

/// The reason why a file could not be read or written, in words for the person who has to fix it.
///
/// Foundation's errors print domain, number and a dictionary; this extracts the system's message from there.
package struct FileFault: Error, Hashable, Sendable, CustomStringConvertible {
    /// A clause about the file, without a full stop.
    package let description: String
    package let remedy: String

    package init(_ error: any Error) { self = (error as? FileFault) ?? FileFault(system: error) ?? FileFault(words: "\(error)") }

    /// Nil unless it is an error of the file system.
    package init?(system error: any Error) {
        switch error {
        case let error as POSIXError: self.init(number: error.code.rawValue)
        case let error as CocoaError: self.init(cocoa: error)
        default: return nil
        }
    }

    /// For reasons without a file system error.
    package init(words: String, remedy: String = "Check the path, the folder's owner and permissions, and the disk.") {
        (description, self.remedy) = (words, remedy)
    }

    package static let missing = FileFault(words: "there is no such file", remedy: "Check the path; the folder above must be there.")
    package static let isFolder = FileFault(words: "it is a folder, not a file", remedy: "Name a file.")
    package static let isNoFolder = FileFault(words: "it is a file, not a folder", remedy: "Name a new or empty folder.")
    package static let forbidden = FileFault(
        words: "this user may not read or write it", remedy: "Check the folder's owner and permissions.")
    package static let full = FileFault(words: "there is no room left on the disk", remedy: "Free space, or name another disk.")

    private init(cocoa error: CocoaError) {
        if let cause = error.underlying {
            let number = (cause as? POSIXError)?.code.rawValue ?? Int32(clamping: (cause as NSError).code)
            self.init(number: number)
        } else {
            self.init(code: error.code, words: error.localizedDescription)
        }
    }

    /// For errors without a system message.
    private init(code: CocoaError.Code, words: String) {
        switch code {
        case .fileNoSuchFile, .fileReadNoSuchFile: self = .missing
        case .fileReadNoPermission, .fileWriteNoPermission: self = .forbidden
        case .fileWriteFileExists: self.init(number: EEXIST)
        case .fileWriteOutOfSpace: self = .full
        case .fileWriteVolumeReadOnly: self.init(number: EROFS)
        case .fileReadInapplicableStringEncoding, .fileReadCorruptFile: self.init(words: "it is not readable text")
        default: self.init(words: words)
        }
    }

    /// - Parameter number: `errno`.
    init(number: Int32) {
        switch number {
        case ENOENT: self = .missing
        case EISDIR: self = .isFolder
        case EEXIST: self.init(words: "something else of that name is in the way", remedy: "Name a new or empty folder.")
        case ENOTDIR: self.init(words: "a part of its path is a file, not a folder", remedy: "Name another path.")
        case EACCES, EPERM: self = .forbidden
        case ENOSPC, EDQUOT, EFBIG: self = .full
        case EROFS:
            self.init(
                words: "the disk can only be read",
                remedy: "It is mounted read-only, and the kernel log (dmesg) may say why. Then mount it for writing: mount -o remount,rw "
                    + "(findmnt -T names the mount), or name another disk.")
        case EIO: self.init(words: "the disk reports an error")
        case EMFILE, ENFILE: self.init(words: "too many files are open")
        case ENAMETOOLONG: self.init(words: "its name is too long")
        default: self.init(words: "the system reports error \(number)")
        }
    }
}
