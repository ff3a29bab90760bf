internal import Charts

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
        let labels = ChartLabels(title: "Cards filled by month: \(report.rules)", description: description, x: "month", y: "cards filled")
        let groups = report.months.map { month in
            GroupedBarChart.Group(month.month.text, [Double(month.figures.before.filled), Double(month.figures.after.filled)])
        }
        return GroupedBarChart(labels, series: ["before", "after"], groups).svg()
    }
}
