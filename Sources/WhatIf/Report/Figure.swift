internal import Charts
public import Loyalty
internal import LoyaltyCodec

/// One figure of a ``Tally``, with its title and its name in reports.
struct Figure {
    let title: String
    /// In JSON lines and in the header of CSV.
    let name: String
    let isMoney: Bool
    let value: (Tally) -> Int

    private init(_ title: String, _ name: String, isMoney: Bool = false, _ value: @escaping (Tally) -> Int) {
        (self.title, self.name, self.isMoney, self.value) = (title, name, isMoney, value)
    }

    /// Milestones and costs are left out of reports that have none.
    static func all(_ report: WhatIfReport) -> [Figure] {
        var figures = [
            Figure("stamps", "stamps") { $0.stamps }, Figure("cards opened", "opened") { $0.opened },
            Figure("cards filled", "filled") { $0.filled }, Figure("rewards redeemed", "redeemed") { $0.redeemed },
        ]
        if report.total.before.milestones != 0 || report.total.after.milestones != 0 {
            figures.append(Figure("milestones redeemed", "milestones") { $0.milestones })
        }
        return report.hasPrices ? figures + [Figure("cost", "cost_cents", isMoney: true) { $0.cents }] : figures
    }

    /// A count such as `1234`, or money such as `12.34`.
    func text(_ value: Int) -> String {
        guard isMoney else { return "\(value)" }
        let (whole, rest) = abs(value).quotientAndRemainder(dividingBy: 100)
        return "\(value < 0 ? "-" : "")\(whole).\(rest < 10 ? "0" : "")\(rest)"
    }

    func signed(_ value: Int) -> String { (value > 0 ? "+" : "") + text(value) }

    static func signed(_ value: Int) -> String { (value > 0 ? "+" : "") + "\(value)" }
}

/// The costs of rewards to shops, in cents of each shop's currency.
public struct Prices: Hashable, Sendable {
    /// So that sums cannot overflow.
    private static let centsMax = 100_000_000

    /// In cents; nil counts as zero.
    public private(set) var common: Int?
    /// In cents.
    public private(set) var byCampaign: [CampaignID: Int] = [:]

    public init() {}

    /// Whether there are no prices.
    public var isEmpty: Bool { common == nil && byCampaign.isEmpty }

    /// Adds a price such as `350`, or `camp_01…=350` for one campaign. Returns false for invalid or repeated input.
    public mutating func add(_ text: String) -> Bool {
        let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        guard let cents = parts.last.flatMap({ Int($0) }), (0...Self.centsMax).contains(cents) else { return false }
        if parts.count == 1 {
            guard common == nil else { return false }
            common = cents
            return true
        }
        guard let campaign = CampaignID(text: String(parts[0])), byCampaign[campaign] == nil else { return false }
        byCampaign[campaign] = cents
        return true
    }

    func cents(of campaign: CampaignID) -> Int { byCampaign[campaign] ?? common ?? 0 }
}

/// A chart of a report's full cards by month, under the recorded and under the changed rules.
public struct MonthChart {
    private let report: WhatIfReport

    public init(_ report: WhatIfReport) { self.report = report }

    /// The chart as an SVG document.
    public var svg: String {
        let (before, after) = (report.total.before.filled, report.total.after.filled)
        let description =
            "Bars for each month: cards that were filled, and cards that would have been with these rules: \(report.rules). "
            + "In all \(before) before and \(after) after."
        let labels = ChartLabels(title: "Cards filled by month: \(report.rules)", description: description, x: "month", y: "cards filled")
        let groups = report.months.map { month in
            GroupedBarChart.Group(month.month.text, [Double(month.figures.before.filled), Double(month.figures.after.filled)])
        }
        return GroupedBarChart(labels, series: ["before", "after"], groups).svg()
    }
}
