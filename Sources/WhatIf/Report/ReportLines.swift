internal import EventLog
internal import Foundation
internal import LoyaltyCodec

/// A report as JSON lines: a `summary`, then one object for each difference, named by its member `part`.
public struct ReportLines {
    private let report: WhatIfReport
    private let top: Int

    /// - Parameter top: the maximum numbers of gaining and of losing accounts.
    public init(_ report: WhatIfReport, top: Int) { (self.report, self.top) = (report, top) }

    /// The members of an object are in the order of their names.
    public var lines: [String] { [summary] + refused + accounts + months + rows }

    private var summary: String {
        let check = report.check
        var members: [String: Any] = [
            "part": "summary", "rules": report.rules, "events": report.position.rawValue, "carriedOver": report.carried,
            "decided": check.equal + check.different, "isEmpty": report.isEmpty, "check": check.isPassed, "digest": check.digest,
            "replayDigest": check.replayDigest, "different": check.different, "differentRefused": check.refused,
            "gaining": report.accounts.gaining, "losing": report.accounts.losing, "unchanged": report.accounts.unchanged,
        ]
        if let first = check.firstDifference {
            members["firstDifference"] = ["position": first.position, "detail": first.detail] as [String: Any]
        }
        return Self.json(members.merging(figures(report.total)) { $1 })
    }

    private var refused: [String] {
        report.refused.map {
            Self.json(["part": "refused", "what": $0.refusal.kind.rawValue, "why": $0.refusal.reason.rawValue, "times": $0.count])
        }
    }

    private var accounts: [String] {
        (report.accounts.gains(top: top) + report.accounts.losses(top: top).reversed()).map {
            Self.json(["part": "account", "account": $0.account.text, "redeemed": $0.redeemed, "filled": $0.filled, "stamps": $0.stamps])
        }
    }

    private var months: [String] {
        report.months.filter { $0.figures.difference != Tally() }.map {
            Self.json(["part": "month", "month": $0.month.text].merging(figures($0.figures)) { $1 })
        }
    }

    private var rows: [String] {
        report.rows.filter { $0.figures.difference != Tally() }.map {
            let name = report.shopNames[$0.shop] ?? ""
            let members: [String: Any] = ["part": "shopMonth", "shop": $0.shop.text, "shopName": name, "month": $0.month.text]
            return Self.json(members.merging(figures($0.figures)) { $1 })
        }
    }

    private func figures(_ compared: WhatIfReport.Compared) -> [String: Any] {
        var before: [String: Any] = [:]
        var after: [String: Any] = [:]
        for figure in Figure.all(report) {
            before[figure.name] = figure.value(compared.before)
            after[figure.name] = figure.value(compared.after)
        }
        return ["before": before, "after": after]
    }

    private static func json(_ members: [String: Any]) -> String {
        let options: JSONSerialization.WritingOptions = [.sortedKeys, .withoutEscapingSlashes]
        guard let data = try? JSONSerialization.data(withJSONObject: members, options: options) else { return "{}" }
        return String(decoding: data, as: UTF8.self)
    }
}

/// A report as CSV (RFC 4180), with a row for each shop and month with a difference.
public struct ReportCSV {
    private let report: WhatIfReport

    public init(_ report: WhatIfReport) { self.report = report }

    /// The text with a header, and CRLF at the end of each line.
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

    /// Quotes a field, and puts an apostrophe before a spreadsheet's formula, because anybody can choose a shop's name.
    static func field(_ text: String) -> String {
        let isFormula = text.first.map { "=+@\t\r".contains($0) } ?? false || (text.hasPrefix("-") && Int(text) == nil)
        let safe = isFormula ? "'" + text : text
        let isPlain = safe.unicodeScalars.allSatisfy { !"\",\r\n".unicodeScalars.contains($0) }
        return isPlain ? safe : "\"" + safe.replacing("\"", with: "\"\"") + "\""
    }
}
