internal import LMDB

/// The bounds of this layer, each with its unit and reason.
public enum LogLimits {
    /// Bytes of a record, tags and payload included: 16 bits of length in tiles and receipts.
    public static let recordBytesMax = 65_535
    /// Different tags of an event: each indexed one is an entry in the index.
    public static let tagsMax = 16
    /// Bytes of a type's or kind's name: it is shown to people.
    public static let nameBytesMax = 100
    /// Items of a query: each is looked up on its own.
    public static let queryItemsMax = 32
    /// Types named by one query item: each is a key range of its own.
    public static let queryTypesMax = 64
    /// Bytes staged in one batch, 64 MiB: they stand in memory, and a commit writes them at one go.
    public static let batchBytesMax = 64 << 20
    /// Requests that may wait for the writer: at 50,000 a second a wait of 80 ms, and a longer queue only makes everybody late.
    public static let waitingRequestsMax = 4_096
    /// Requests that one commit answers: enough for a flush to be shared by all who wait, few enough that the first of them does
    /// not wait for ever.
    public static let batchRequestsMax = 1_024
    /// Requests that the writer decides before it hands them to the flush, if so many wait; of more it takes half. At 64 callers 32
    /// made the most stamps a second; 16 and 64 made 5 to 10 % fewer.
    public static let roundRequestsMin = 32
    /// Attempts at a decision before it is given up: each lost attempt means that another decision was stored, so a hundred tasks that all
    /// want the same thing at once all get their turn.
    public static let decisionAttemptsMax = 100
    /// Positions that an unmet append condition reports: enough to see why.
    public static let conflictPositionsMax = 10
    /// Events in the index's memory part before it is flushed, some 300 bytes each: enough that runs are few and worth their pages,
    /// few enough that a replay after a crash takes a tenth of a second.
    public static let indexFlushEvents = 65_536
    /// Events in the index's memory part at which the writer waits for the flusher. It bounds memory, also while a log is indexed again.
    public static let indexStallEvents = 4 * indexFlushEvents
    /// Events that the index's memory part takes while runs cannot be stored, some 150 MB: the newer ones are left out, and look-ups scan
    /// the log for them.
    public static let indexMemoryEvents = 8 * indexFlushEvents
    /// Milliseconds between a failed flush or merge of the index and the next attempt. Each further failure doubles them, up to
    /// ``indexRetryDoublings`` times: a minute, so that a disk with room again is noticed soon, and a full one is not worn out.
    public static let indexRetryMilliseconds = 1_000
    static let indexRetryDoublings = 6
    /// Runs of the index that are merged into one. More of them make merging cheaper and look-ups more expensive: each event is written
    /// once a level, and a look-up asks up to this many runs a level.
    public static let indexMergeFactor = 8
    /// Records that a walk reads in one snapshot: some milliseconds, which is how long the writer may not use freed pages again. Another
    /// snapshot and look-up cost one or two microseconds.
    public static let snapshotRecordsMax: UInt64 = 1_024
    /// Events read from the log in one snapshot while the index is brought to its head.
    static let indexReplayedAtOnce = 1_024
    /// Events that a subscription holds in memory at most, unless told otherwise: a few hundred make the cost of a read small for each,
    /// and of the largest records that is 16 MiB.
    public static let subscriptionPageEvents = 256
    /// Events that a subscription may be told to hold: more only costs memory.
    public static let subscriptionPageEventsMax = 4_096
    /// Positions that a subscription looks at in one read: some milliseconds when it has to look at each event, so that a task that
    /// reads never takes a thread from others for longer.
    static let subscriptionReadPositions: UInt64 = 16_384
    /// Seconds between two checks of a log that another process writes, whose commits send no signal here. Soon enough for a person, and
    /// each check costs a microsecond.
    static let subscriptionPollSeconds = 0.1
    /// Bytes of values after which a long walk through a file gives its memory back: a tenth of a second's reading, which costs a
    /// thousandth of that to give back.
    public static let walkBytesHeld = 32 << 20
    /// Seconds between two checkpoints while commits happen: soon enough for followers, and two flushes a second are cheap.
    public static let checkpointSeconds = 1.0
    /// Microseconds between two looks at the deadlines of waiting tasks: a timeout is late by this at most.
    static let deadlineTickMicroseconds = 10_000
    /// Seconds that a waiting thread or task may ask for at most: a day, so that no sum of times overflows.
    static let waitSecondsMax = 86_400.0

    /// Bytes that the file of keys or of a read model may grow to unless told otherwise.
    public static let otherMapBytesMax = Limits.mapBytesDefault
    /// Bytes that a log's file may grow to unless told otherwise: room for well over a billion events of a few hundred bytes.
    public static let logMapBytesMax = 256 << 30
}
