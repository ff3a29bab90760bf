internal import LMDB

/// The limits of the event log, each with its unit and reason.
public enum LogLimits {
    /// The maximum bytes of a record, including tags and payload. Tiles and receipts store the length of a record in 16 bits.
    public static let recordBytesMax = 65_535
    /// The maximum number of distinct tags of an event. Each indexed tag adds an entry to the index.
    public static let tagsMax = 16
    /// The maximum bytes of the name of a type or a kind of tags. Only people read these names, so short names suffice.
    public static let nameBytesMax = 100
    /// The maximum number of items of a query. Each item costs a look-up of its own.
    public static let queryItemsMax = 32
    /// The maximum number of types in one query item. Each type costs a search of its own in every run of the index.
    public static let queryTypesMax = 64
    /// The maximum bytes staged in one batch, 64 MiB. They are held in memory until one commit writes them all.
    public static let batchBytesMax = 64 << 20
    /// The maximum number of requests that wait for the writer. At 50,000 requests per second this is a wait of 80 ms; a longer queue would
    /// only delay every request.
    public static let waitingRequestsMax = 4_096
    /// The maximum number of requests that one commit answers: many, so that they share a flush, but few enough that the first of them does
    /// not wait for long.
    public static let batchRequestsMax = 1_024
    /// The minimum number of requests that the writer decides in one round, if that many requests wait. If more than twice this number
    /// wait, the writer takes half of them. With 64 callers, a minimum of 32 gave the highest rate of stamps; 16 and 64 gave 5 to 10 %
    /// less.
    public static let roundRequestsMin = 32
    /// The maximum number of attempts at a decision. An attempt is lost only if another decision was stored meanwhile, so a hundred tasks
    /// whose decisions conflict all succeed in the end.
    public static let decisionAttemptsMax = 100
    /// The maximum number of positions that a failed append condition reports: enough to see the reason.
    public static let conflictPositionsMax = 10
    /// The number of events at which the index's memory part is flushed. Each event takes about 300 bytes of memory. A larger number gives
    /// fewer and larger runs; with this number, indexing the events again after a crash takes a tenth of a second.
    public static let indexFlushEvents = 65_536
    /// The number of events in the index's memory part at which the writer waits for the flusher. This also bounds memory while a log is
    /// indexed again.
    public static let indexStallEvents = 4 * indexFlushEvents
    /// The maximum number of events that the index's memory part accepts while runs cannot be stored: about 150 MB. Later events are left
    /// out of the index, and look-ups scan the log for them.
    public static let indexMemoryEvents = 8 * indexFlushEvents
    /// Milliseconds between a failed flush or merge of the index and the next attempt. Each further failure doubles the delay, at most
    /// ``indexRetryDoublings`` times: to about a minute. So free disk space is noticed soon, and a full disk is not written all the time.
    public static let indexRetryMilliseconds = 1_000
    static let indexRetryDoublings = 6
    /// The number of index runs that are merged into one. A larger number makes merging cheaper, because each event is written once per
    /// level and there are fewer levels. It makes look-ups more expensive, because a look-up reads up to about this many runs per level.
    public static let indexMergeFactor = 8
    /// The maximum number of records that a walk reads in one snapshot. Reading them takes some milliseconds, during which the writer
    /// cannot reuse freed pages. The next snapshot and its first look-up cost one or two microseconds.
    public static let snapshotRecordsMax: UInt64 = 1_024
    /// The maximum number of events that are added to the index in one step while it catches up with the log's head.
    static let indexReplayedAtOnce = 1_024
    /// Default number of events that a subscription holds in memory. With a few hundred events per read, the cost of a read is small for
    /// each event. At the largest record size, this number of events takes 16 MiB.
    public static let subscriptionPageEvents = 256
    /// Maximum number of events that a subscription may hold in memory. A larger number only costs memory.
    public static let subscriptionPageEventsMax = 4_096
    /// The maximum number of positions that a subscription covers in one read. Even if each event must be examined, such a read takes only
    /// some milliseconds, so that a reading task does not occupy a thread for longer.
    static let subscriptionReadPositions: UInt64 = 16_384
    /// Seconds between a subscription's checks of a log that another process writes. The checks are needed because that process's commits
    /// send no signal to this process. People do not notice the delay, and a check costs a microsecond.
    static let subscriptionPollSeconds = 0.1
    /// Bytes of values after which a long walk through a file releases the memory of the part that it has passed. Reading so many bytes
    /// takes a tenth of a second, and releasing them takes a thousandth of that time.
    public static let walkBytesHeld = 32 << 20
    /// Seconds between two checkpoints while commits happen. This is soon enough for followers, and the two flushes of a checkpoint are
    /// cheap at this rate.
    public static let checkpointSeconds = 1.0
    /// Microseconds between two checks for expired deadlines of waiting tasks, and so the maximum delay of a timeout.
    static let deadlineTickMicroseconds = 10_000
    /// Maximum timeout of a waiting thread or task in seconds: a day, so that no sum of times overflows.
    static let waitSecondsMax = 86_400.0

    /// The maximum number of bytes of zeros that are kept written behind the used pages of a log's file. Half of them are written at a
    /// time. In a log of at least this size, that is enough for more than a hundred commits of thirty events, so fewer than one such commit
    /// in a hundred makes the file longer.
    public static let roomBytes = 8 << 20

    /// Default maximum size, in bytes, of the file of keys or of a read model.
    public static let otherMapBytesMax = Limits.mapBytesDefault
    /// Default maximum size, in bytes, of a log's file: room for well over a billion events of a few hundred bytes.
    public static let logMapBytesMax = 256 << 30
}
