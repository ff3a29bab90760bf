internal import Loyalty

/// Adds cards up: how long they took, where they were left.
struct CardWayMaking {
    private static let microsecondsPerDay: Int64 = 86_400_000_000

    private struct Step {
        var reached = 0
        var idle = 0
        var discarded = 0
    }

    private let query: JourneyQuery
    /// Microseconds from opening to full.
    private var times: [Int64] = []
    private var steps: [Step] = []
    private var abandonment: AbandonmentReport

    init(_ query: JourneyQuery) {
        self.query = query
        abandonment = AbandonmentReport(idleDays: query.idleDays)
    }

    mutating func add(_ card: CardJourney) {
        if let filled = card.filledAt, query.period.days.contains(day(filled)) {
            let (time, overflow) = filled.microseconds.subtractingReportingOverflow(card.openedAt.microseconds)
            times.append(overflow ? .max : max(0, time))
        }
        guard query.period.days.contains(day(card.openedAt)) else { return }
        abandonment.cards += 1
        // A card may be made full again and again by adjustments; its goal is at least 1.
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

    /// Nearest rank, in seconds.
    private static func quantile(_ sorted: [Int64], percent: Int) -> Double? {
        guard !sorted.isEmpty else { return nil }
        return Double(sorted[(sorted.count * percent + 99) / 100 - 1]) / 1_000_000
    }
}
