/// The limits of the read models, each with its unit and its reason. The type is not called `Limits`, because other layers have a type of
/// that name.
public enum ReadModelLimits {
    /// The maximum number of items on one page of a list. The HTTP layer allows requests for at most 100.
    public static let pageItems = 1_000

    /// The maximum number of replies, without removed ones, that are shown with one review; the oldest ones are shown. The limit exists
    /// because a page is built in memory.
    public static let repliesPerThread = 1_000

    /// The maximum number of replies of one thread that are read for a page, including removed replies.
    static let repliesReadPerThread = 10_000

    /// A page gets no more reviews once this many replies were read for it, including removed replies. The thread in which the
    /// number is reached is not divided between pages.
    public static let repliesPerPage = 1_000

    /// The maximum number of reviews that are read for one page, including removed reviews that are not shown. After that number the page
    /// ends, even if it is empty.
    public static let reviewsPerPage = 2_000

    /// A report calls a card or a member of staff concentrated if it has far more than its share of stamps, but never with fewer stamps
    /// than this number, because small counts vary by chance.
    public static let concentrationStampsMin = 20

    /// A card is called concentrated if it has this many times the average card's stamps. The factor is high, because regular customers
    /// come daily while others come weekly.
    public static let concentrationCardFactor = 10.0

    /// A member of staff is called concentrated if they have this many times the average member's stamps. In a staff of one or two, nobody
    /// can reach this factor. In a staff of three, only a member whose codes gave all stamps can reach it.
    public static let concentrationStaffFactor = 3.0

    /// The maximum number of rows of one shop that a report on days reads. It suffices for a year in which 2,700 cards a day are used. A
    /// report on all shops of an owner reads one shop after the other, each up to this number.
    public static let statisticsRowsMax = 1_000_000

    /// The maximum number of entries that a report on all shops of an owner holds: one for each card, and one for each day on which a
    /// customer was active. It suffices for a year of eight shops in each of which 680 cards a day are used, and for a month of ninety such
    /// shops.
    public static let brandEntriesMax = 4_000_000

    /// The maximum number of days that one report on customers and cards covers: two years and a week.
    public static let journeyDaysMax = 738

    /// The maximum number of visits and cards that one report on customers and cards reads. It suffices for two years with a thousand
    /// visits a day.
    public static let journeyRowsMax = 1_000_000

    /// The default number of days without a stamp after which a report calls a card idle.
    public static let idleDaysDefault = 60

    /// The default number of weeks before and after a campaign that a report compares.
    public static let effectWeeksDefault = 8

    /// The maximum number of weeks before and after a campaign: half a year.
    public static let effectWeeksMax = 26

    /// The maximum number of weeks of a campaign's running time that a report covers: two years. The limit is needed because a campaign may
    /// run for very long.
    public static let effectRunningWeeksMax = 106

    /// The highest number of days in a report's counts of cards by filling time. Cards that took longer are counted with this number.
    public static let fillDaysMax = 365

    /// The pause, in seconds, that a model for reports makes after each batch. Only requests for reports wait for these models; writes do
    /// not.
    static let reportRestSeconds = 0.02
}
