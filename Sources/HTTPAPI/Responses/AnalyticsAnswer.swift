import Loyalty
import ReadModels

/// How customers come back and what becomes of their cards; `JourneyReport` and its parts say what each number means.
struct AnalyticsAnswer: JSONWritable {
    private static let secondsPerDay = 86_400.0

    let shop: ShopID
    let zone: String
    let report: JourneyReport

    func write(to json: inout JSONWriter) {
        json.object {
            $0.field("shop", shop)
            $0.field("timeZone", zone)
            $0.field("from", FullDate.text(report.days.lowerBound))
            $0.field("to", FullDate.text(report.days.upperBound))
            $0.object("retention", writeRetention)
            $0.object("fill", writeFill)
            $0.object("abandonment", writeAbandonment)
            if let effect = report.effect {
                $0.object("effect") { Self.write(to: &$0, effect) }
            } else {
                $0.field("effect", Double?.none)
            }
        }
    }

    private func writeRetention(to json: inout JSONWriter) {
        let retention = report.retention
        json.field("visits", retention.visits)
        json.field("customers", retention.customers)
        json.field("returningCustomers", retention.returningCustomers)
        json.field("repeatVisitRate", retention.repeatVisitRate)
        json.array("cohorts", retention.cohorts) { json, cohort in
            json.object {
                $0.field("week", FullDate.text(cohort.monday))
                $0.field("customers", cohort.customers)
                $0.array("active", cohort.active) { $0.value($1) }
                $0.array("retention", cohort.active) { $0.value(Double($1) / Double(cohort.customers)) }
            }
        }
        json.array("curve", retention.curve) { json, point in
            json.object {
                $0.field("week", point.week)
                $0.field("customers", point.customers)
                $0.field("active", point.active)
                $0.field("retention", point.retention)
            }
        }
    }

    private func writeFill(to json: inout JSONWriter) {
        json.field("cards", report.fill.cards)
        json.field("medianDays", report.fill.medianSeconds.map { $0 / Self.secondsPerDay })
        json.field("p90Days", report.fill.p90Seconds.map { $0 / Self.secondsPerDay })
        json.array("histogram", report.fill.histogram) { json, bin in
            json.object {
                $0.field("days", bin.days)
                $0.field("cards", bin.cards)
            }
        }
    }

    private func writeAbandonment(to json: inout JSONWriter) {
        let found = report.abandonment
        json.field("idleDays", found.idleDays)
        json.field("cards", found.cards)
        json.field("full", found.full)
        json.field("idle", found.idle)
        json.field("discarded", found.discarded)
        json.field("share", found.abandonedShare)
        json.array("counts", found.steps) { json, step in
            json.object {
                $0.field("stamps", step.stamps)
                $0.field("reached", step.reached)
                $0.field("idle", step.idle)
                $0.field("discarded", step.discarded)
                $0.field("share", step.share)
            }
        }
    }

    private static func write(to json: inout JSONWriter, _ effect: CampaignEffect) {
        json.field("campaign", effect.campaign)
        json.field("firstDay", FullDate.text(effect.firstDay))
        json.field("lastDay", FullDate.text(effect.lastDay))
        json.field("change", effect.change)
        json.field("lastingChange", effect.lastingChange)
        for (name, phase) in [("before", effect.before), ("during", effect.during), ("after", effect.after)] {
            json.object(name) { write(to: &$0, phase) }
        }
    }

    private static func write(to json: inout JSONWriter, _ phase: CampaignEffect.Phase) {
        json.field("visitsPerWeek", phase.visitsPerWeek)
        json.field("activeCustomersPerWeek", phase.activeCustomersPerWeek)
        json.field("newCustomersPerWeek", phase.newCustomersPerWeek)
        json.array("weeks", phase.weeks) { json, week in
            json.object {
                $0.field("from", FullDate.text(week.firstDay))
                $0.field("days", week.days)
                $0.field("visits", week.visits)
                $0.field("activeCustomers", week.activeCustomers)
                $0.field("newCustomers", week.newCustomers)
            }
        }
    }
}
