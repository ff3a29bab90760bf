/// The named limits of the read models, each with its unit and its reason. Its name is not `Limits`, which other layers use.
public enum ReadModelLimits {
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

    /// The pause, in seconds, that a model of reports makes after each batch. Requests for reports wait for these models; writes do not.
    static let reportRestSeconds = 0.02
}
