/// The named limits of this target, each with its unit and its reason.
public enum ProjectionLimits {
    /// Events scanned per transaction while following the log: bounds memory and the time that a stop has to wait.
    public static let eventsPerBatch = 16_384

    /// Events that may pass without one for a model before its position is stored. A restart reads that many again, in about a
    /// millisecond, and a tool that reads the files sees the position late by as many.
    public static let unstoredEvents = 4_096

    /// Events scanned per transaction during a rebuild. Large, because no reader waits and a card that changes many times is then written
    /// once. ``changesPerBatch`` usually ends a batch earlier.
    public static let eventsPerBulkBatch = 16_777_216

    /// Changed entities held in memory before they are written: of a third of a kilobyte at most (``Projection/bytesPerChange``), 84 MB.
    public static let changesPerBatch = 262_144

    /// Events applied between two checks of how much is pending, so a batch may exceed its limit by that many changes. It is declared
    /// here because a static of the generic updater costs a look-up of type metadata for each event.
    static let eventsPerLook = 64

    /// Entities kept decoded between batches while following the log. A full cache is emptied.
    public static let cachedMax = 65_536

    /// The same during a rebuild.
    public static let cachedMaxInBulk = 262_144

    /// Bytes of a model's file up to which a clean close seals it (``FileSeal``): a quarter of a second's reading.
    package static let sealedBytesMax = 256 << 20

    /// Seconds between two checks whether a runner should stop. Closing an idle runner may take that long.
    static let idleSeconds = 0.05

    /// The same while a new generation catches up, or while a process waits for another one.
    package static let hurriedSeconds = 0.002

    /// Seconds to wait until the last reader of a generation's files has finished: the longest read, with a margin.
    package static let patienceSeconds = 10.0

    /// Events that a generation may be behind when its builder hands it over. The server applies them within milliseconds.
    package static let handoverLagEvents: UInt64 = 1_024

    /// The pages of a change's rows, which LMDB keeps until the transaction ends.
    package static let pageBytesPerChange = 7_168

    /// The most memory that these pages take. LMDB writes out pages beyond `MDB_IDL_UM_MAX` at once.
    package static let pageBytesMax = 131_072 * 4_096
}
