internal import Loyalty

/// How long it takes to fill a card.
///
/// Covers the cards that became full in the period and stayed so, from the opening to the event that filled them, without coupons. A
/// **quantile** `q` of `n` cards is the `⌈q · n⌉`th shortest time (nearest rank).
public struct FillReport: Hashable, Sendable {
    /// Cards that took equally many days.
    public struct Bin: Hashable, Sendable {
        /// Whole days of 24 hours; ``ReadModelLimits/fillDaysMax`` means that many or more.
        public let days: Int
        public let cards: Int
    }

    public internal(set) var cards = 0
    public internal(set) var medianSeconds: Double?
    /// Nil if no card became full.
    public internal(set) var p90Seconds: Double?
    public internal(set) var histogram: [Bin] = []
}

/// Reports at which number of stamps cards are abandoned.
///
/// Covers the cards opened in the period, in their present state, without coupons and cards whose stamps were all taken back.
///
/// - a card is **idle** if it is collecting, and its last stamp or its opening is more than `idleDays` days before today;
/// - a card is **abandoned** if it is idle, or was discarded or has expired before it was full;
/// - a card **reached** a number of stamps below its goal if it has that many or more now;
/// - the **share** abandoned at a count is the cards abandoned there divided by those that reached it.
public struct AbandonmentReport: Hashable, Sendable {
    /// One number of stamps, with the cards that reached it and were abandoned there.
    public struct Step: Hashable, Sendable {
        public let stamps: Int
        public let reached: Int
        public let idle: Int
        public let discarded: Int

        public var abandoned: Int { idle + discarded }
        public var share: Double { reached > 0 ? Double(abandoned) / Double(reached) : 0 }
    }

    public let idleDays: Int
    public internal(set) var cards = 0
    public internal(set) var full = 0
    public internal(set) var steps: [Step] = []

    init(idleDays: Int) { self.idleDays = idleDays }

    public var idle: Int { steps.reduce(0) { $0 + $1.idle } }
    public var discarded: Int { steps.reduce(0) { $0 + $1.discarded } }
    public var abandonedShare: Double? { cards > 0 ? Double(idle + discarded) / Double(cards) : nil }
}

struct CardWayMaking {
    private static let microsecondsPerDay: Int64 = 86_400_000_000

    private struct Step {
        var reached = 0
        var idle = 0
        var discarded = 0
    }

    private let query: JourneyQuery
    private var times: [Int64] = []
    private var steps: [Step] = []
    private var abandonment: AbandonmentReport

    init(_ query: JourneyQuery) {
        self.query = query
        abandonment = AbandonmentReport(idleDays: query.idleDays)
    }

    /// Adds a card, unless it is a coupon, which takes no time to fill.
    mutating func add(_ card: CardJourney) {
        guard card.goal > 0 else { return }
        if let filled = card.filledAt, query.period.days.contains(day(filled)) {
            let (time, overflow) = filled.microseconds.subtractingReportingOverflow(card.openedAt.microseconds)
            times.append(overflow ? .max : max(0, time))
        }
        guard query.period.days.contains(day(card.openedAt)), !card.isTakenBack else { return }
        abandonment.cards += 1
        // A full card reached every number below its goal. A card that is no longer full counts with its present stamps.
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

    private static func quantile(_ sorted: [Int64], percent: Int) -> Double? {
        guard !sorted.isEmpty else { return nil }
        return Double(sorted[(sorted.count * percent + 99) / 100 - 1]) / 1_000_000
    }
}
