internal import Loyalty
internal import LoyaltyCodec

/// A report as CSV (RFC 4180): a row for each shop and month in which something differs; what is not there is as it was.
public struct ReportCSV {
    private let report: WhatIfReport

    public init(_ report: WhatIfReport) {
        self.report = report
    }

    /// With a header, and CRLF behind each line.
    public var text: String {
        let figures = Figure.all(report)
        let names = figures.flatMap { ["\($0.name)_before", "\($0.name)_after"] }
        var rows = [["shop", "shop_name", "month"] + names]
        for row in report.rows where row.figures.difference != Tally() {
            let values = figures.flatMap { ["\($0.value(row.figures.before))", "\($0.value(row.figures.after))"] }
            rows.append([row.shop.text, report.shopNames[row.shop] ?? "", row.month.text] + values)
        }
        return rows.map { $0.map(Self.field).joined(separator: ",") + "\r\n" }.joined()
    }

    /// Quoted where it has to be. A name that a spreadsheet would take for a formula gets an apostrophe: names are anybody's.
    static func field(_ text: String) -> String {
        let isFormula = text.first.map { "=+@\t\r".contains($0) } ?? false || (text.hasPrefix("-") && Int(text) == nil)
        let safe = isFormula ? "'" + text : text
        let isPlain = safe.unicodeScalars.allSatisfy { !"\",\r\n".unicodeScalars.contains($0) }
        return isPlain ? safe : "\"" + safe.replacing("\"", with: "\"\"") + "\""
    }
}
