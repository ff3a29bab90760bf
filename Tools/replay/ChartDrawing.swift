import Charts
import ReadModels

/// Draws a report on a shop's customers and cards as SVG charts.
struct ChartDrawing {
    let report: JourneyReport
    let zone: String

    /// The maximum number of days in a period for which a bar is a day. For longer periods, a bar is a week.
    private static let dayBarsMax = 42

    private var period: String {
        "\(FullDate.text(report.days.lowerBound)) to \(FullDate.text(report.days.upperBound)), days of \(zone)"
    }

    func svg(_ kind: ChartKind) -> String {
        switch kind {
        case .retention: retention
        case .curve: curve
        case .fill: fill
        case .abandonment: abandonment
        case .effect: effect
        }
    }

    private var retention: String {
        let cohorts = report.retention.cohorts
        let customers = cohorts.reduce(0) { $0 + $1.customers }
        let labels = ChartLabels(
            title: "Weekly retention: who comes back",
            description: "\(customers) new customers in \(cohorts.count) weeks, \(period). A row is the customers whose first visit lies "
                + "in one week, in brackets how many; a cell is the share of them who came in that many weeks after it.",
            x: "Weeks after the week of the first visit", y: "First visit")
        let rows = cohorts.map { cohort in
            HeatMap.Row(
                "\(FullDate.text(cohort.monday)) (\(cohort.customers))", cohort.active.map { Double($0) / Double(cohort.customers) })
        }
        return HeatMap(labels, rows).svg()
    }

    private var curve: String {
        let labels = ChartLabels(
            title: "Retention by weeks since the first visit",
            description: "Of all customers whose first visit is so many weeks ago, the share who came in that week; \(period).",
            x: "Weeks after the week of the first visit", y: "Share who came")
        let points = report.retention.curve.map { LineChart.Point(x: Double($0.week), y: $0.retention) }
        return LineChart(labels, [LineChart.Series("retention", points)], y: .percent).svg()
    }

    private var fill: String {
        let last = report.fill.histogram.last?.days ?? 0
        let width = last > Self.dayBarsMax ? 7 : 1
        var cards = [Int](repeating: 0, count: last / width + 1)
        for bin in report.fill.histogram { cards[bin.days / width] += bin.cards }
        let quantiles = [report.fill.medianSeconds, report.fill.p90Seconds].map { ChartText.days($0) }
        let labels = ChartLabels(
            title: "Time to fill a card",
            description: "\(report.fill.cards) cards became full, \(period): half of them within \(quantiles[0]) days, nine of ten within "
                + "\(quantiles[1]) days of their opening.",
            x: width == 1 ? "Days from opening to full" : "Weeks from opening to full", y: "Cards")
        return BarChart(labels, cards.enumerated().map { BarChart.Bar("\($0.offset)", Double($0.element)) }).svg()
    }

    private var abandonment: String {
        let found = report.abandonment
        let labels = ChartLabels(
            title: "Where cards are left",
            description: "\(found.cards) cards were opened, \(period); \(found.full) became full, \(found.idle + found.discarded) were "
                + "left: thrown away, or without a stamp for more than \(found.idleDays) days. A bar is the share left at a count of "
                + "stamps, of the cards that came so far.",
            x: "Stamps on the card", y: "Share left there")
        let bars = found.steps.map { BarChart.Bar("\($0.stamps)", $0.share, note: "\($0.abandoned) of \($0.reached)") }
        return BarChart(labels, bars, y: .percent).svg()
    }

    private var effect: String {
        guard let effect = report.effect else { return "" }
        let weeks = [effect.before, effect.during, effect.after].flatMap(\.weeks)
        func line(_ name: String, _ figure: (CampaignEffect.Week) -> Int) -> LineChart.Series {
            let points = weeks.map { week in
                LineChart.Point(x: Double(week.firstDay - effect.firstDay) / 7, y: Double(7 * figure(week)) / Double(week.days))
            }
            return LineChart.Series(name, points)
        }
        let labels = ChartLabels(
            title: "Before, during and after a campaign",
            description: "A shop's weeks from a campaign's first day, \(FullDate.text(effect.firstDay)), to its last, "
                + "\(FullDate.text(effect.lastDay)), and around; shorter weeks are drawn as if they had seven days.",
            x: "Weeks from the campaign's first day", y: "In seven days")
        return LineChart(
            labels, [line("visits", \.visits), line("active customers", \.activeCustomers), line("new customers", \.newCustomers)]
        ).svg()
    }
}
