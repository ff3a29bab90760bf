internal import LMDB

/// The limits of the event log.
public enum LogLimits {
    /// The maximum bytes of a record, with tags and payload. Tiles and receipts store its length in 16 bits.
    public static let recordBytesMax = 65_535
    /// The maximum distinct tags of an event. Each indexed tag adds an entry to the index.
    public static let tagsMax = 16
    /// The maximum bytes of the name of a type or kind, which only people read.
    public static let nameBytesMax = 100
    /// The maximum items of a query. Each costs a look-up.
    public static let queryItemsMax = 32
    /// The maximum types in one query item. Each costs a search in every run of the index.
    public static let queryTypesMax = 64
    /// The maximum bytes of a batch, held in memory until its commit.
    public static let batchBytesMax = 64 << 20
    /// The bytes of records at which a round ends if the log is shared. etcd holds thousands of entries in memory: 1.7 GB at this size.
    public static let entryBytesMax = 128 << 10
    /// The maximum bytes of a batch if the log is shared: a decision's events are never divided, and etcd refuses requests above 1.5 MiB.
    public static let sharedBatchBytesMax = 1 << 20
    /// The newest bytes that a shared log keeps for followers that are late.
    package static let untrimmedBytesMin = 64 << 20
    /// The bytes of untrimmed entries above which a writer accepts nothing: a quarter of etcd's usual room, half of which a claim can find
    /// filled.
    package static let untrimmedBytesMax = 512 << 20
    /// Seconds between two requests of a follower to a source that has nothing new and does not wait for it.
    static let followPollSeconds = 0.05
    /// Seconds that a writer which stops waits for answers of the shared log. Nobody waits longer for one request.
    public static let stopSecondsMax = 5.0
    /// The maximum requests that wait for the writer: 80 ms at 50,000 per second. A longer queue only delays every request.
    public static let waitingRequestsMax = 4_096
    /// The maximum requests that one commit answers: they share a flush, but the first does not wait for long.
    public static let batchRequestsMax = 1_024
    /// The minimum requests decided in one round, if so many wait; if more than twice as many wait, half of them. 16 and 64 gave 5 to 10 %
    /// fewer stamps.
    public static let roundRequestsMin = 32
    /// The maximum attempts at a decision. Each lost one means another success, so a hundred conflicting tasks all succeed.
    public static let decisionAttemptsMax = 100
    /// The maximum positions that a failed append condition reports.
    public static let conflictPositionsMax = 10
    /// The events at which the index's memory part, of about 300 bytes each, is flushed. Indexing them again after a crash takes 0.1 s.
    public static let indexFlushEvents = 65_536
    /// The events in memory at which the writer waits for the flusher, and the bound while a log is indexed again.
    public static let indexStallEvents = 4 * indexFlushEvents
    /// The maximum events in memory while runs cannot be stored: 150 MB. Look-ups scan the log for later events.
    public static let indexMemoryEvents = 8 * indexFlushEvents
    /// Milliseconds from a failed flush or merge to the next attempt, doubled at most ``indexRetryDoublings`` times, to about a minute.
    public static let indexRetryMilliseconds = 1_000
    static let indexRetryDoublings = 6
    /// The index runs merged into one. A larger number writes each event less often, but a look-up reads up to about this many runs per
    /// level.
    public static let indexMergeFactor = 8
    /// The maximum records that a walk reads in one snapshot. That takes milliseconds, in which the writer cannot reuse freed pages.
    ///
    /// Only three readers hold one commit for longer: the check of all pages with which tools begin, the copy of the keys, and
    /// `Comparison`, which holds a model's commit and not the log's.
    public static let snapshotRecordsMax: UInt64 = 1_024
    static let indexReplayedAtOnce = 1_024
    /// The default number of events that a subscription holds in memory: at most 16 MiB.
    public static let subscriptionPageEvents = 256
    /// The maximum events that a subscription may hold in memory.
    public static let subscriptionPageEventsMax = 4_096
    /// A read then occupies a thread for milliseconds only, even if it examines each event.
    static let subscriptionReadPositions: UInt64 = 16_384
    /// Between checks of a log that another process writes, whose commits send no signal here.
    static let subscriptionPollSeconds = 0.1
    /// Bytes of values after which a long walk releases the memory that it has passed, at a thousandth of the time to read them.
    public static let walkBytesHeld = 32 << 20
    /// Seconds between two checkpoints while commits happen, so that the two flushes of each cost little.
    public static let checkpointSeconds = 1.0
    /// Microseconds between checks for expired deadlines: the maximum delay of a timeout.
    static let deadlineTickMicroseconds = 10_000
    /// The maximum timeout in seconds: a day, so that no sum of times overflows.
    static let waitSecondsMax = 86_400.0

    /// The maximum bytes of zeros kept behind a log file's used pages, of which half are written at once. With them, fewer than one commit
    /// of thirty events in a hundred lengthens the file.
    public static let roomBytes = 8 << 20

    /// The default maximum size, in bytes, of the file of keys or of a read model.
    public static let otherMapBytesMax = Limits.mapBytesDefault
    /// The default maximum size, in bytes, of a log's file: over a billion events of a few hundred bytes.
    public static let logMapBytesMax = 256 << 30
}
