/// The named limits of this target, each with its unit and its reason.
public enum ProjectionLimits {
    /// The maximum number of events scanned for one transaction while a model follows the log. It limits the memory, and the time until a
    /// stopping model has ended its batch.
    public static let eventsPerBatch = 16_384

    /// The maximum number of events without effect on a model after which its position is stored. A restart reads these events again, which
    /// takes about a millisecond. A tool that reads the model's files may see a position that is too low by up to this number.
    public static let unstoredEvents = 4_096

    /// The maximum number of events scanned for one transaction during a rebuild. It is large, because no reader waits, and because a card
    /// that changes many times in a batch is written only once. ``changesPerBatch`` usually ends a batch earlier.
    public static let eventsPerBulkBatch = 16_777_216

    /// The number of changed entities in memory at which they are written. For changed cards, this is 84 MB, because each needs about 320
    /// bytes (``Projection/bytesPerChange``).
    public static let changesPerBatch = 262_144

    /// The number of events applied between two checks of the number of pending changes. So a batch may have more changes than
    /// ``changesPerBatch``. It is declared here because a static property of the generic updater costs a look-up of type metadata for each
    /// event.
    static let eventsPerLook = 64

    /// The maximum number of decoded entities that are cached between batches while a model follows the log. A full cache is emptied.
    public static let cachedMax = 65_536

    /// The maximum number of decoded entities that are cached between batches during a rebuild.
    public static let cachedMaxInBulk = 262_144

    /// The largest model file, in bytes, of which a checksum (``FileSeal``) is stored when the model is closed. Reading such a file takes a
    /// quarter of a second.
    package static let sealedBytesMax = 256 << 20

    /// The largest model file, in bytes, that each start compares with its checksum and searches for damaged pages. Both take about a tenth
    /// of a second.
    package static let inspectedBytesMax = 64 << 20

    /// The largest model file, in bytes, that is searched every minute. A larger one is searched before each audit, because a search holds
    /// a commit, and the file grows meanwhile.
    package static let searchedBytesMax = 256 << 20

    /// The number of times that a process rebuilds a model because of damage. Then the model stops, because its code may be the cause.
    static let rebuildsMax = 3

    /// Seconds between two checks by which a waiting ``ModelRunner`` finds out whether it should stop. Closing the runner may take this
    /// long.
    static let idleSeconds = 0.05

    /// Seconds between two checks while a new generation catches up, or while one process waits for another.
    package static let hurriedSeconds = 0.002

    /// The maximum number of seconds to wait for another user of a generation's files, such as a reader or a server that switches to the
    /// generation. The longest read takes less time.
    package static let patienceSeconds = 10.0

    /// The maximum lag, in events, of a generation that its builder hands over. The server applies the missing events within milliseconds.
    package static let handoverLagEvents: UInt64 = 1_024

    /// The number of bytes of pages that LMDB keeps in memory for one changed entity until the transaction ends.
    package static let pageBytesPerChange = 7_168

    /// The maximum memory, in bytes, of the pages that a transaction changes. LMDB keeps at most `MDB_IDL_UM_MAX` changed pages in memory,
    /// and writes others to the file before the transaction ends.
    package static let pageBytesMax = 131_072 * 4_096
}
