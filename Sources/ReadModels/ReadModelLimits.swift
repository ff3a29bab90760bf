/// The named limits of this target, each with its unit and its reason. Not plain `Limits`: other layers have theirs.
public enum ReadModelLimits {
    /// Events scanned per transaction while following the log: bounds memory and the time that a stop has to wait.
    public static let eventsPerBatch = 16_384

    /// Events that may go by without one for a model before its position is stored: what a restart looks through again, in a
    /// millisecond, and how far behind a tool that reads the files sees it.
    public static let unstoredEvents = 4_096

    /// Events scanned per transaction while building a generation anew: nobody reads it yet, and a card touched many times
    /// is written once. ``changesPerBatch`` ends a batch sooner.
    public static let eventsPerBulkBatch = 16_777_216

    /// Changed entities held in memory before they are written: of a third of a kilobyte at most (``Projection/bytesPerChange``), 84 MB.
    public static let changesPerBatch = 262_144

    /// Events applied between two looks at how much is pending: a batch may hold so many changes more. (As a static of the generic
    /// updater it cost a look-up of the type's metadata at each event.)
    static let eventsPerLook = 64

    /// Cards kept decoded between batches while following the log. Past it the cache starts empty again.
    public static let cachedCards = 65_536

    /// The same while building anew.
    public static let cachedCardsInBulk = 262_144

    /// Items in one page of a list; the HTTP layer allows 100.
    public static let pageItems = 1_000

    /// Replies shown with one review, oldest first. Nothing else bounds a thread, and a page is built in memory.
    public static let repliesPerThread = 1_000
    /// Replies of a thread that are read for that, removed ones included.
    static let repliesReadPerThread = 10_000

    /// Replies of a page of reviews after which it ends, however many reviews it may hold: the last thread is shown whole.
    public static let repliesPerPage = 1_000

    /// Reviews looked at for one page, those that were taken down and are not shown with them: then it ends, even without a review.
    public static let reviewsPerPage = 2_000

    /// Stamps that a card or a member of staff must have before a report calls it concentrated: below, chance does it.
    public static let concentrationStampsMin = 20

    /// So many times the average card's stamps are called concentrated. Regulars come daily where others come once a week.
    public static let concentrationCardFactor = 10.0

    /// So many times the average member's stamps are called concentrated; with three members and fewer nobody can be.
    public static let concentrationStaffFactor = 3.0

    /// Days of one report on customers and cards: two years and a week.
    public static let journeyDaysMax = 738

    /// Visits and cards read for one such report: those of two years with a thousand visits a day, and its cards.
    public static let journeyRowsMax = 1_000_000

    /// Days without a stamp after which a card counts as abandoned, where nobody says otherwise.
    public static let idleDaysDefault = 60

    /// Weeks before and after a campaign that a report looks at, where nobody says otherwise.
    public static let effectWeeksDefault = 8

    /// The most such weeks: half a year.
    public static let effectWeeksMax = 26

    /// Weeks of a campaign's running time that a report looks at: two years. A campaign may run for ever.
    public static let effectRunningWeeksMax = 106

    /// Days to fill a card that have a bin of their own; the last one takes what is longer.
    public static let fillDaysMax = 365

    /// Bytes of a model's file up to which a clean close seals it (``FileSeal``): a quarter of a second's reading.
    package static let sealedBytesMax = 256 << 20

    /// Seconds that models of reports rest after each batch: who asks for a report waits for them, and answers to writes do not.
    static let reportRestSeconds = 0.02

    /// Seconds between two looks at whether a runner should stop: what closing may take when nothing happens.
    static let idleSeconds = 0.05

    /// The same while a new generation catches up, or somebody waits for another process.
    package static let hurriedSeconds = 0.002

    /// Seconds to wait for the files of a generation that somebody is about to let go of: the longest reading, with room.
    package static let patienceSeconds = 10.0

    /// Events that a generation may be behind when its builder hands it over: the one who follows catches up in a moment.
    package static let handoverLagEvents: UInt64 = 1_024

    /// The pages of a change's rows, which LMDB keeps until the transaction ends.
    package static let pageBytesPerChange = 7_168

    /// The most that these pages take: what exceeds `MDB_IDL_UM_MAX` of them, LMDB writes out at once.
    package static let pageBytesMax = 131_072 * 4_096
}
