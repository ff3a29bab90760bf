/// The limits of the read models, each with its unit.
public enum ReadModelLimits {
    /// Items on one page of a list. The HTTP layer allows at most 100.
    public static let pageItems = 1_000

    /// Days of acts whose positions are read: eleven years.
    public static let activityDays = 4_000

    /// Replies shown with one review, the oldest ones, because a page is built in memory.
    public static let repliesPerThread = 1_000

    /// Replies of one thread read for a page, including removed ones.
    static let repliesReadPerThread = 10_000

    /// Replies read after which a page gets no more reviews.
    public static let repliesPerPage = 1_000

    /// Reviews read for one page, including removed ones.
    public static let reviewsPerPage = 2_000

    /// Customers looked at for one page of a segment that the clock decides.
    public static let customersPerPage = 2_000

    /// Cards of an account that a search for nearly full ones reads.
    public static let nearlyFullCardsRead = 2_000

    /// Stamps below which a report calls nothing concentrated, because small counts vary by chance.
    public static let concentrationStampsMin = 20

    /// The multiple of the average card's stamps from which a card is concentrated; high, because regular customers come daily.
    public static let concentrationCardFactor = 10.0

    /// The same for members of staff. Only a staff of three or more can reach it.
    public static let concentrationStaffFactor = 3.0

    /// Rows of one shop that a report on days reads: a year with 2,700 cards used a day.
    public static let statisticsRowsMax = 1_000_000

    /// Entries of a report on all shops of an owner: a year of eight shops with 680 cards used a day.
    public static let brandEntriesMax = 4_000_000

    /// Days of a report on customers and cards: two years and a week.
    public static let journeyDaysMax = 738

    /// Visits and cards that such a report reads: two years with a thousand visits a day.
    public static let journeyRowsMax = 1_000_000

    public static let idleDaysDefault = 60

    public static let effectWeeksDefault = 8

    /// The maximum of these weeks: half a year.
    public static let effectWeeksMax = 26

    /// Weeks of a campaign's running time that a report covers: two years.
    public static let effectRunningWeeksMax = 106

    /// The highest number of days to fill a card; slower cards are counted with it.
    public static let fillDaysMax = 365

    /// Cases below which a digest finds nothing, because small counts vary by chance.
    public static let digestCasesMin = 30

    /// Whole days before today that a digest compares: four of each day of the week.
    public static let digestDays = 28

    public static let digestEndingDays = 14

    /// Days from which a full card's reward counts as waiting.
    public static let digestWaitingDays = 14

    /// Days after which it no longer counts, because its holder will hardly come.
    public static let digestWaitingDaysMax = 365

    /// Days of opening of the cards that may have been left.
    public static let digestLeftDays = 365

    /// The least share of cards that is worth a question.
    public static let digestLeftShareMin = 0.1

    /// The most probable chance for which a member's reversals are unusual.
    public static let digestReversalChance = 0.01

    /// Rows that each part of a digest reads.
    static let digestRowsMax = 1_000_000

    /// Seconds that a model for reports pauses after each batch. Writes do not wait for these models.
    static let reportRestSeconds = 0.02
}
