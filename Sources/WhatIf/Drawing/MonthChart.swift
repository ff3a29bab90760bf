/// A report's full cards by month, before and after, as a picture.
public struct MonthChart {
    private let report: WhatIfReport

    public init(_ report: WhatIfReport) {
        self.report = report
    }

    /// An SVG document.
    public var svg: String {
        let (before, after) = (report.total.before.filled, report.total.after.filled)
        let description =
            "Bars for each month: cards that were filled, and cards that would have been with these rules: \(report.rules). "
            + "In all \(before) before and \(after) after."
        return BarChart(
            title: "Cards filled by month: \(report.rules)", description: description, series: ["before", "after"],
            groups: report.months.map { .init(name: $0.month.text, values: [$0.figures.before.filled, $0.figures.after.filled]) }
        ).svg
    }
}
