import Console
import LoyaltyCodec
import ReadModels

/// A report on a shop's customers and cards as one JSON object: `timeZone`, `from`, `to`, and the requested content under its name.
struct ChartJSON {
    let report: JourneyReport
    let zone: String

    func text(_ kind: ChartKind) -> String {
        let content =
            switch kind {
            case .retention, .curve: retention
            case .fill: fill
            case .abandonment: abandonment
            case .effect: effect
            }
        return JSONLine.text([
            "timeZone": zone, "from": FullDate.text(report.days.lowerBound), "to": FullDate.text(report.days.upperBound),
            kind.rawValue: content,
        ])
    }

    private var retention: [String: Any] {
        let found = report.retention
        return [
            "visits": found.visits, "stamps": found.stamps, "customers": found.customers,
            "returningCustomers": found.returningCustomers, "repeatVisitRate": JSONLine.orNull(found.repeatVisitRate),
            "cohorts": found.cohorts.map {
                ["week": FullDate.text($0.monday), "customers": $0.customers, "active": $0.active] as [String: Any]
            },
            "curve": found.curve.map {
                ["week": $0.week, "customers": $0.customers, "active": $0.active, "retention": $0.retention] as [String: Any]
            },
        ]
    }

    private var fill: [String: Any] {
        [
            "cards": report.fill.cards, "medianSeconds": JSONLine.orNull(report.fill.medianSeconds),
            "p90Seconds": JSONLine.orNull(report.fill.p90Seconds),
            "histogram": report.fill.histogram.map { ["days": $0.days, "cards": $0.cards] },
        ]
    }

    private var abandonment: [String: Any] {
        let found = report.abandonment
        return [
            "idleDays": found.idleDays, "cards": found.cards, "full": found.full, "idle": found.idle, "discarded": found.discarded,
            "share": JSONLine.orNull(found.abandonedShare),
            "counts": found.steps.map {
                ["stamps": $0.stamps, "reached": $0.reached, "idle": $0.idle, "discarded": $0.discarded, "share": $0.share] as [String: Any]
            },
        ]
    }

    private var effect: [String: Any] {
        guard let effect = report.effect else { return [:] }
        func weeks(_ phase: CampaignEffect.Phase) -> [[String: Any]] {
            phase.weeks.map {
                [
                    "from": FullDate.text($0.firstDay), "days": $0.days, "visits": $0.visits, "activeCustomers": $0.activeCustomers,
                    "newCustomers": $0.newCustomers,
                ]
            }
        }
        return [
            "campaign": effect.campaign.text, "firstDay": FullDate.text(effect.firstDay), "lastDay": FullDate.text(effect.lastDay),
            "change": JSONLine.orNull(effect.change), "lastingChange": JSONLine.orNull(effect.lastingChange),
            "before": weeks(effect.before),
            "during": weeks(effect.during), "after": weeks(effect.after),
        ]
    }
}
