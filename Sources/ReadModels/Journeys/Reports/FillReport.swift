/// How long it takes to fill a card.
///
/// Of the cards that became full on a day of the period and are not adjusted below their goal since: the time from opening to what
/// made it full, never less than nothing. A **quantile** `q` of `n` cards is the `⌈q · n⌉`th shortest time (nearest rank), so that
/// it is a time that a card really took.
public struct FillReport: Hashable, Sendable {
    /// Cards that took so many whole days of 24 hours.
    public struct Bin: Hashable, Sendable {
        /// Rounded down; ``ReadModelLimits/fillDaysMax`` stands for that and more.
        public let days: Int
        public let cards: Int
    }

    public internal(set) var cards = 0
    /// Seconds; nil where no card became full.
    public internal(set) var medianSeconds: Double?
    /// Seconds; nine of ten took no longer.
    public internal(set) var p90Seconds: Double?
    /// By days; days without cards have none.
    public internal(set) var histogram: [Bin] = []
}
