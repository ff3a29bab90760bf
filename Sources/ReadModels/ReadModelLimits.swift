/// The named limits of this target, each with its unit and its reason. Its name is not `Limits`, which other layers use.
public enum ReadModelLimits {
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

    /// Cards kept decoded between batches while following the log. A full cache is emptied.
    public static let cachedCards = 65_536

    /// The same during a rebuild.
    public static let cachedCardsInBulk = 262_144

    /// Items in one page of a list; the HTTP layer allows 100.
    public static let pageItems = 1_000

    /// Replies shown with one review, oldest first. It bounds a thread, because a page is built in memory.
    public static let repliesPerThread = 1_000
    /// Replies of a thread that are read for one page, including removed ones.
    static let repliesReadPerThread = 10_000

    /// Replies after which a page of reviews ends. The last thread is shown whole.
    public static let repliesPerPage = 1_000

    /// Reviews read for one page, including removed ones, which are not shown. The page then ends, even if it is empty.
    public static let reviewsPerPage = 2_000

    /// Stamps that a card or a member of staff needs before a report calls it concentrated. Smaller counts vary by chance.
    public static let concentrationStampsMin = 20

    /// The multiple of the average card's stamps that is called concentrated. Regulars come daily while others come weekly.
    public static let concentrationCardFactor = 10.0

    /// The multiple of the average member's stamps that is called concentrated. No member of a staff of three or fewer can reach it.
    public static let concentrationStaffFactor = 3.0

    /// Days of one report on customers and cards: two years and a week.
    public static let journeyDaysMax = 738

    /// Visits and cards read for one such report: two years with a thousand visits a day, and the cards.
    public static let journeyRowsMax = 1_000_000

    /// The default for the days without a stamp after which a card counts as abandoned.
    public static let idleDaysDefault = 60

    /// The default for the weeks before and after a campaign that a report compares.
    public static let effectWeeksDefault = 8

    /// The most such weeks: half a year.
    public static let effectWeeksMax = 26

    /// Weeks of a campaign's running time that a report covers: two years. A campaign may run without end.
    public static let effectRunningWeeksMax = 106

    /// Bins for the days that filling a card took, one a day. The last bin takes longer times too.
    public static let fillDaysMax = 365

    /// Bytes of a model's file up to which a clean close seals it (``FileSeal``): a quarter of a second's reading.
    package static let sealedBytesMax = 256 << 20

    /// Seconds that the models behind reports pause after each batch. A request for a report waits for them; answers to writes do not.
    static let reportRestSeconds = 0.02

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
