/// The named limits of this target.
public enum ProjectionLimits {
    /// Events scanned for one transaction while a model follows the log. Bounds the memory and the time to stop.
    public static let eventsPerBatch = 16_384

    /// Events without effect on a model after which its position is stored.
    public static let unstoredEvents = 4_096

    /// Events scanned for one transaction of a rebuild. Large, because a card that changes many times in a batch is written once.
    public static let eventsPerBulkBatch = 16_777_216

    /// Changed entities at which they are written: 84 MB of cards.
    public static let changesPerBatch = 262_144

    /// Events between two checks of the pending changes. In the generic updater, each access would look up type metadata.
    static let eventsPerLook = 64

    /// Decoded entities cached between batches while following. A full cache is emptied.
    public static let cachedMax = 65_536

    public static let cachedMaxInBulk = 262_144

    /// The largest model file, in bytes, that is sealed (``FileSeal``) at closing: a quarter of a second.
    package static let sealedBytesMax = 256 << 20

    /// The largest model file, in bytes, that each start verifies and searches: a tenth of a second each.
    package static let inspectedBytesMax = 64 << 20

    /// The largest model file, in bytes, that is searched every minute and not only before audits, because a search holds a commit.
    package static let searchedBytesMax = 256 << 20

    /// Rebuilds by a process because of damage. Then the model stops, because its code may be the cause.
    static let rebuildsMax = 3

    static let idleSeconds = 0.05

    /// Seconds between two tries to go on after a full disk, or to make lost files again. The pause doubles from the one to the other.
    static let (retrySecondsMin, retrySecondsMax) = (1.0, 16.0)

    /// Seconds between two checks while a generation catches up or one process waits for another.
    package static let hurriedSeconds = 0.002

    /// Seconds to wait for another user of a generation's files, longer than any read.
    package static let patienceSeconds = 10.0

    /// The maximum lag of a generation at its hand-over: milliseconds of the server's work.
    package static let handoverLagEvents: UInt64 = 1_024

    /// Bytes of pages that LMDB keeps in memory for one changed entity.
    package static let pageBytesPerChange = 7_168

    /// Bytes of changed pages that LMDB keeps in memory (`MDB_IDL_UM_MAX`).
    package static let pageBytesMax = 131_072 * 4_096
}
