internal import LMDB

extension EventLog {
    /// What a process may do with a log.
    public enum Access: Sendable, Hashable {
        /// Reads beside a server that writes: no index, no lock, and tag queries look at every event.
        case readOnly
        /// The one process that appends; it also keeps the index.
        case readWrite
    }

    /// How to open a log. The defaults suit a server.
    public struct Options: Sendable {
        /// Events in the index's memory part before it is flushed, at least 1; see ``LogLimits/indexFlushEvents``.
        public var indexFlushEvents = LogLimits.indexFlushEvents
        /// Events in the index's memory part at which the writer waits, at least ``indexFlushEvents``.
        public var indexStallEvents = LogLimits.indexStallEvents
        /// Events that the index's memory part takes while runs cannot be stored, at least ``indexStallEvents``.
        public var indexMemoryEvents = LogLimits.indexMemoryEvents
        /// Milliseconds until a failed flush or merge of the index is tried again for the first time.
        public var indexRetryMilliseconds = LogLimits.indexRetryMilliseconds
        /// Runs of the index that are merged into one, at least 2; see ``LogLimits/indexMergeFactor``.
        public var indexMergeFactor = LogLimits.indexMergeFactor
        /// The largest size that the log's file may grow to.
        public var map = MapLimit()
        /// What the log is to be called, or is known to be called: a URL without scheme and trailing slash, such as `tea.example/log`.
        /// Nil takes the name that it has, and names a new one after its creation (see ``EventLog/origin``).
        public var origin: String?
        /// Whether a log without a name may stay so although it is opened for writing: its first opening by a server names it then.
        public var leavesNameOpen = false
        /// Whether a damaged page that LMDB stumbles over ends the process with a sentence and exit code 2: for tools.
        public var endsOnDamage = false
        /// Bytes of events after which a walk through the log gives the memory of those behind it back to the system. Nil keeps them
        /// mapped: quicker where they are read again soon, as in tools. For a server, which may walk through all of its log once a day.
        public var walkBytesHeld: Int?
        /// The step that makes a batch durable.
        public var durability: any BatchDurability = LocalCommit()

        /// The defaults.
        public init() {}

        /// The storage layer's options for the log itself.
        var environment: Environment.Options {
            var options = Environment.Options()
            // Else the slack of pages would carry what the process's memory held, perhaps personal data, into every backup.
            options.zeroesPages = true
            options.mapSizeDefault = LogLimits.logMapBytesMax
            map.set(&options)
            options.endsOnDamage = endsOnDamage
            options.walkBytesHeld = walkBytesHeld
            return options
        }
    }
}
