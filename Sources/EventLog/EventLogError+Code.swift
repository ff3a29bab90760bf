extension EventLogError {
    /// The class of a failure. Compare with `==`, or switch with a `default`; codes may be added.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        let kind: Kind

        /// There is no log in this folder.
        public static let missing = Code(kind: .missing)
        /// The folder holds something else.
        public static let notALog = Code(kind: .notALog)
        /// The log was written by a newer version of this library.
        public static let formatTooNew = Code(kind: .formatTooNew)
        /// The schema and the log give one number two names, or an event uses a number that the schema does not have.
        public static let schemaConflict = Code(kind: .schemaConflict)
        /// A record is not readable, or one is missing.
        public static let damaged = Code(kind: .damaged)
        /// An event's record would be longer than ``LogLimits/recordBytesMax``, or its batch than ``LogLimits/batchBytesMax``.
        public static let recordTooLarge = Code(kind: .recordTooLarge)
        /// An event has more than ``LogLimits/tagsMax`` tags.
        public static let tooManyTags = Code(kind: .tooManyTags)
        /// The query is not one: no items, an item with neither types nor tags, a kind that is not indexed.
        public static let invalidQuery = Code(kind: .invalidQuery)
        /// `after` lies beyond the head: the caller has read a log that was rolled back since.
        public static let afterBeyondHead = Code(kind: .afterBeyondHead)
        /// Stored events match an ``AppendCondition``: nothing was appended; ``EventLogError/conflict`` says which.
        public static let conditionFailed = Code(kind: .conditionFailed)
        /// As many appends wait as may: nothing was appended.
        public static let queueFull = Code(kind: .queueFull)
        /// A text that no log may be called.
        public static let invalidOrigin = Code(kind: .invalidOrigin)
        /// The log is called otherwise.
        public static let otherOrigin = Code(kind: .otherOrigin)
        /// The log is older than the last checkpoint that was signed for it: events that somebody was told of are gone.
        public static let rolledBack = Code(kind: .rolledBack)
        /// The kept checkpoint is not of this log: it was altered, signed with another key, or the log's history is another one.
        public static let checkpointMismatch = Code(kind: .checkpointMismatch)
        /// The log was opened for reading only.
        public static let readOnly = Code(kind: .readOnly)
        /// The log has an appender already.
        public static let appenderTaken = Code(kind: .appenderTaken)
        /// A commit failed earlier: its outcome is unknown, and this appender accepts nothing more.
        public static let stopped = Code(kind: .stopped)
        /// The log was closed.
        public static let closed = Code(kind: .closed)
        /// A file beside the environment could not be read or written.
        public static let io = Code(kind: .io)
        /// The storage layer failed; ``EventLogError/storage`` says how.
        public static let storage = Code(kind: .storage)

        /// The code's name.
        public var description: String { kind.rawValue }
    }

    /// The closed set behind ``Code``, so that the remedies are checked for completeness.
    enum Kind: String, Sendable {
        case missing, notALog, formatTooNew, schemaConflict, damaged, recordTooLarge, tooManyTags, invalidQuery
        case afterBeyondHead, conditionFailed, queueFull, readOnly, appenderTaken, stopped, closed, io, storage
        case invalidOrigin, otherOrigin, rolledBack, checkpointMismatch
    }
}

extension EventLogError.Kind {
    var remedy: String {
        switch self {
        case .missing: "Check the path, or open the log for writing once to create it."
        case .notALog: "Check the path; never point the service at another program's files."
        case .formatTooNew: "Use the version of the program that wrote it, or a newer one."
        case .schemaConflict: "Numbers are never reused: give the type or the kind a number of its own."
        case .damaged: "Stop, keep a copy of the folder, and restore the log from a backup."
        case .recordTooLarge: "Put less into the payload; large things belong beside the log, named by their digest."
        case .tooManyTags: "Tag an event only with what it must be found by."
        case .invalidQuery: "Correct the query."
        case .afterBeyondHead: "Start again from a position that the log has; it may have been restored from an older copy."
        case .conditionFailed: "Read what has happened since, and decide again."
        case .queueFull: "Try again in a moment."
        case .invalidOrigin: "Name it like a URL without scheme and trailing slash, such as tea.example/log, without spaces and plus signs."
        case .otherOrigin: "A log keeps its name for ever, since its checkpoints carry it: open it without naming one, or by that name."
        case .rolledBack, .checkpointMismatch:
            "Restore the newest copy of the log, with the checkpoint that belongs to it. Only who knows why it is another one may "
                + "accept it (greentea serve --accept-older-log): the checkpoint is then set aside, and whoever holds it can prove that "
                + "history changed."
        case .readOnly: "Open the log for writing."
        case .appenderTaken: "Send everything through the one appender."
        case .stopped: "End the process; the next start finds out what was stored."
        case .closed: "Open the log again."
        case .io: "Check the folder's owner, permissions and free space."
        case .storage: "See the storage layer's message."
        }
    }
}
