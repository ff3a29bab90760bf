/// The named limits of this target, each with its unit and its reason.
public enum ProjectionLimits {
    /// Events scanned per transaction while following the log. It limits memory, and the time that a stop takes.
    public static let eventsPerBatch = 16_384

    /// Events without effect on a model that may pass before its position is stored. A restart reads them again, which takes about a
    /// millisecond. A tool that reads the files sees a position that is behind by up to this many events.
    public static let unstoredEvents = 4_096

    /// Events scanned per transaction during a rebuild. It is large, because no reader waits, and because a card that changes many times in
    /// a batch is written only once. ``changesPerBatch`` usually ends a batch earlier.
    public static let eventsPerBulkBatch = 16_777_216

    /// Changed entities held in memory before they are written: 84 MB at a third of a kilobyte each (``Projection/bytesPerChange``).
    public static let changesPerBatch = 262_144

    /// Events applied between two checks of the number of pending changes. A batch may exceed its limit by this many changes. It is
    /// declared here because a static property of the generic updater costs a look-up of type metadata for each event.
    static let eventsPerLook = 64

    /// Decoded entities kept between batches while following the log. A full cache is emptied.
    public static let cachedMax = 65_536

    /// Decoded entities kept between batches during a rebuild.
    public static let cachedMaxInBulk = 262_144

    /// The largest model file, in bytes, of which a clean close stores a checksum (``FileSeal``). Reading such a file takes a quarter of a
    /// second.
    package static let sealedBytesMax = 256 << 20

    /// Seconds between two checks whether a runner should stop. Closing an idle runner may take this long.
    static let idleSeconds = 0.05

    /// Seconds between two checks while a new generation catches up, or while one process waits for another.
    package static let hurriedSeconds = 0.002

    /// Seconds to wait until the last reader of a generation's files has finished: the longest read, with a margin.
    package static let patienceSeconds = 10.0

    /// The maximum lag, in events, of a generation that its builder hands over. The server applies these events within milliseconds.
    package static let handoverLagEvents: UInt64 = 1_024

    /// Bytes of the pages that one change touches, which LMDB keeps in memory until the transaction ends.
    package static let pageBytesPerChange = 7_168

    /// The maximum memory, in bytes, of the pages that a transaction changes. LMDB writes pages beyond `MDB_IDL_UM_MAX` to the file at
    /// once.
    package static let pageBytesMax = 131_072 * 4_096
}
