internal import Loyalty

/// How long it takes to fill a card.
///
/// Covers the cards that became full on a day of the period and did not fall below their goal since, by an adjustment or a reversal of
/// stamps. Coupons, which are full when they are opened, are left out. The time of a card runs from its opening to the event that filled
/// it; it is at least 0. A **quantile** `q` of `n` cards is the `⌈q · n⌉`th shortest time (nearest rank), so it is always the time of a
/// real card.
public struct FillReport: Hashable, Sendable {
    /// The cards that took the same number of days to fill.
    public struct Bin: Hashable, Sendable {
        /// The number of whole days of 24 hours, rounded down. The value ``ReadModelLimits/fillDaysMax`` means that many days or more.
        public let days: Int
        public let cards: Int
    }

    public internal(set) var cards = 0
    /// The median time in seconds; nil if no card became full.
    public internal(set) var medianSeconds: Double?
    /// The time in seconds in which nine of ten cards became full; nil if no card became full.
    public internal(set) var p90Seconds: Double?
    /// The bins, in ascending order of days. A number of days in which no card was filled has no bin.
    public internal(set) var histogram: [Bin] = []
}

/// Reports at which number of stamps cards are abandoned.
///
/// It covers the cards opened on a day of the period, in their present state. Coupons are left out. A card whose stamps were all taken back
/// is left out, because its stamps were given by mistake. It is left out even if it was discarded, because a reversal may discard a card
/// that it empties.
///
/// - a card is **idle** if it is collecting, and its last stamp (or its opening, if it has none) is more than `idleDays` days before today;
/// - a card is **abandoned** if it is idle, or if it was discarded or has expired before it was full;
/// - a card **reached** a number of stamps below its goal if it has that many stamps or more now;
/// - the **share** abandoned at a count is the number of cards abandoned there divided by the number that reached it. If equally many cards
///   are abandoned at two counts, the share at the higher count is at least as large, because fewer or equally many cards reach it.
public struct AbandonmentReport: Hashable, Sendable {
    /// One number of stamps, with the cards that reached it and those that were abandoned there.
    public struct Step: Hashable, Sendable {
        /// The number of stamps. It is below the goal of every card counted here.
        public let stamps: Int
        public let reached: Int
        /// Idle cards with exactly this number of stamps.
        public let idle: Int
        /// Discarded or expired cards with exactly this number of stamps.
        public let discarded: Int

        public var abandoned: Int { idle + discarded }
        public var share: Double { reached > 0 ? Double(abandoned) / Double(reached) : 0 }
    }

    public let idleDays: Int
    /// Cards opened in the period, without those whose stamps were all taken back.
    public internal(set) var cards = 0
    /// The number of cards opened in the period that became full and did not fall below their goal since.
    public internal(set) var full = 0
    /// The steps from 0 stamps up to the highest number that a card reached.
    public internal(set) var steps: [Step] = []

    init(idleDays: Int) { self.idleDays = idleDays }

    public var idle: Int { steps.reduce(0) { $0 + $1.idle } }
    public var discarded: Int { steps.reduce(0) { $0 + $1.discarded } }
    /// The share of ``cards`` that were abandoned; nil if there are no cards.
    public var abandonedShare: Double? { cards > 0 ? Double(idle + discarded) / Double(cards) : nil }
}

/// Counts cards by the days that filling them took, and by the numbers of stamps at which customers stopped.
struct CardWayMaking {
    private static let microsecondsPerDay: Int64 = 86_400_000_000

    private struct Step {
        var reached = 0
        var idle = 0
        var discarded = 0
    }

    private let query: JourneyQuery
    /// For each card that became full, the time from its opening to the event that filled it, in microseconds.
    private var times: [Int64] = []
    private var steps: [Step] = []
    private var abandonment: AbandonmentReport

    init(_ query: JourneyQuery) {
        self.query = query
        abandonment = AbandonmentReport(idleDays: query.idleDays)
    }

    /// Adds a card. A coupon is left out, because it is full when it is opened: it takes no time to fill, and collects no stamps.
    mutating func add(_ card: CardJourney) {
        guard card.goal > 0 else { return }
        if let filled = card.filledAt, query.period.days.contains(day(filled)) {
            let (time, overflow) = filled.microseconds.subtractingReportingOverflow(card.openedAt.microseconds)
            times.append(overflow ? .max : max(0, time))
        }
        guard query.period.days.contains(day(card.openedAt)), !card.isTakenBack else { return }
        abandonment.cards += 1
        // A full card has reached every number of stamps below its goal. A card that is no longer full counts with its present stamps. The
        // goal is at least 1.
        let top = card.filledAt == nil ? min(max(0, card.stamps), card.goal - 1) : card.goal - 1
        guard top >= 0 else { return }
        while steps.count <= top { steps.append(Step()) }
        for count in 0...top { steps[count].reached += 1 }
        if card.filledAt != nil {
            abandonment.full += 1
        } else if card.discardedAt != nil {
            steps[top].discarded += 1
        } else if query.today - day(card.lastStampAt ?? card.openedAt) > query.idleDays {
            steps[top].idle += 1
        }
    }

    private func day(_ time: Instant) -> Int { query.period.day(Quarter(of: time)) }

    func finishedAbandonment() -> AbandonmentReport {
        var report = abandonment
        report.steps = steps.enumerated().map {
            AbandonmentReport.Step(stamps: $0.offset, reached: $0.element.reached, idle: $0.element.idle, discarded: $0.element.discarded)
        }
        return report
    }

    func finishedFill() -> FillReport {
        let sorted = times.sorted()
        var report = FillReport()
        report.cards = sorted.count
        report.medianSeconds = Self.quantile(sorted, percent: 50)
        report.p90Seconds = Self.quantile(sorted, percent: 90)
        var bins: [Int: Int] = [:]
        for time in sorted { bins[min(Int(time / Self.microsecondsPerDay), ReadModelLimits.fillDaysMax), default: 0] += 1 }
        report.histogram = bins.sorted { $0.key < $1.key }.map { FillReport.Bin(days: $0.key, cards: $0.value) }
        return report
    }

    /// A quantile by nearest rank, in seconds.
    private static func quantile(_ sorted: [Int64], percent: Int) -> Double? {
        guard !sorted.isEmpty else { return nil }
        return Double(sorted[(sorted.count * percent + 99) / 100 - 1]) / 1_000_000
    }
}
