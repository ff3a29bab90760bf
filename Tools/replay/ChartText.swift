import Foundation
import ReadModels

/// A report on a shop's customers and cards as lines for people to read.
struct ChartText {
    let report: JourneyReport

    func lines(_ kind: ChartKind) -> [String] {
        let days = "\(FullDate.text(report.days.lowerBound)) to \(FullDate.text(report.days.upperBound))"
        return switch kind {
        case .retention: [summary(days)] + cohorts
        case .curve: [summary(days)] + curve
        case .fill: fill(days)
        case .abandonment: abandonment(days)
        case .effect: effect
        }
    }

    private func summary(_ days: String) -> String {
        let found = report.retention
        return "\(days)  visits \(found.visits)  customers \(found.customers)  returning \(found.returningCustomers)  "
            + "repeat-visit rate \(Self.percent(found.repeatVisitRate))"
    }

    private var cohorts: [String] {
        report.retention.cohorts.map { cohort in
            "\(FullDate.text(cohort.monday))  new \(cohort.customers)  active "
                + cohort.active.map(String.init).joined(separator: " ")
        }
    }

    private var curve: [String] {
        report.retention.curve.map { "week \($0.week)  \($0.active) of \($0.customers)  \(Self.percent($0.retention))" }
    }

    private func fill(_ days: String) -> [String] {
        let found = report.fill
        return ["\(days)  full \(found.cards)  median \(Self.days(found.medianSeconds)) days  p90 \(Self.days(found.p90Seconds)) days"]
            + found.histogram.map { "days \($0.days)  cards \($0.cards)" }
    }

    private func abandonment(_ days: String) -> [String] {
        let found = report.abandonment
        return [
            "\(days)  cards \(found.cards)  full \(found.full)  idle \(found.idle)  discarded \(found.discarded)  "
                + "abandoned \(Self.percent(found.abandonedShare))"
        ] + found.steps.map { "stamps \($0.stamps)  reached \($0.reached)  left \($0.abandoned)  \(Self.percent($0.share))" }
    }

    private var effect: [String] {
        guard let effect = report.effect else { return [] }
        let phases = [("before", effect.before), ("during", effect.during), ("after", effect.after)]
        return [
            "\(FullDate.text(effect.firstDay)) to \(FullDate.text(effect.lastDay))  visits a week \(Self.percent(effect.change))  "
                + "afterwards \(Self.percent(effect.lastingChange))"
        ]
            + phases.flatMap { name, phase in
                phase.weeks.map {
                    "\(name)  \(FullDate.text($0.firstDay))  days \($0.days)  visits \($0.visits)  active \($0.activeCustomers)  "
                        + "new \($0.newCustomers)"
                }
            }
    }

    /// Returns seconds as days with one decimal, or "no" if there is no value.
    static func days(_ seconds: Double?) -> String { seconds.map { String(format: "%.1f", $0 / 86_400) } ?? "no" }

    private static func percent(_ share: Double?) -> String { share.map { String(format: "%.1f %%", $0 * 100) } ?? "unknown" }
}
