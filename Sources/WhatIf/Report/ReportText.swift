internal import Loyalty
internal import LoyaltyCodec

/// A report as text for people to read.
public struct ReportText {
    private let report: WhatIfReport
    private let top: Int

    /// - Parameter top: the maximum numbers of gaining accounts, losing accounts and shops to name.
    public init(_ report: WhatIfReport, top: Int) { (self.report, self.top) = (report, top) }

    /// Without differences, one line after the head says so.
    public var lines: [String] {
        let head = [
            "what-if  events \(report.position)  decided \(report.check.equal + report.check.different)  carried over \(report.carried)",
            "rules    \(report.rules)", "check    \(check)",
        ]
        guard !report.isEmpty else { return head + ["report   empty: nothing would have been other than it was"] }
        return head + totals + accounts + refused + months + shops
    }

    private var check: String {
        let check = report.check
        if check.isPassed { return "with the recorded rules the re-run equals the log: yes, digest \(check.digest)" }
        let first = check.firstDifference.map { "; first at position \($0.position): \($0.detail)" } ?? ""
        let refused = check.refused == 0 ? "" : "; the log holds events of \(check.refused) commands that the service would refuse"
        return "with the recorded rules the re-run equals the log: NO, commands that differ: \(check.different)\(first)\(refused); "
            + "digest \(check.digest), of the replay \(check.replayDigest)"
    }

    private var totals: [String] {
        var table = TextTable(["", "before", "after", "difference"])
        for figure in Figure.all(report) {
            let (before, after) = (figure.value(report.total.before), figure.value(report.total.after))
            table.add([figure.title, figure.text(before), figure.text(after), figure.signed(after - before)])
        }
        return [""] + table.lines
    }

    private var accounts: [String] {
        let changes = report.accounts
        var lines = ["", "accounts  \(changes.gaining) gain, \(changes.losing) lose, \(changes.unchanged) neither"]
        lines += list("gains most", changes.gains(top: top)) + list("loses most", changes.losses(top: top))
        return lines
    }

    private func list(_ title: String, _ changes: [AccountChanges.Change]) -> [String] {
        guard !changes.isEmpty else { return [] }
        var table = TextTable([title, "rewards", "full cards", "stamps"])
        for change in changes {
            table.add([change.account.text] + [change.redeemed, change.filled, change.stamps].map { Figure.signed($0) })
        }
        return [""] + table.lines
    }

    private var refused: [String] {
        guard !report.refused.isEmpty else { return [] }
        var table = TextTable(["refused", "times"])
        for row in report.refused { table.add(["\(row.refusal.kind.rawValue): \(row.refusal.reason.rawValue)", "\(row.count)"]) }
        return [""] + table.lines
    }

    private var months: [String] { breakdown("month", report.months.map { ($0.month.text, $0.figures) }) }

    /// Only the `top` greatest differences, because ten thousand shops are too many to read.
    private var shops: [String] {
        let all = report.shops.filter { $0.figures.difference != Tally() }
        func size(_ figures: WhatIfReport.Compared) -> (Int, Int, Int) {
            (abs(figures.difference.redeemed), abs(figures.difference.filled), abs(figures.difference.stamps))
        }
        let shown = all.sorted { left, right in
            let (one, other) = (size(left.figures), size(right.figures))
            return one == other ? left.shop < right.shop : one > other
        }.prefix(top)
        let title = all.count > shown.count ? "shop, \(shown.count) of \(all.count)" : "shop"
        return breakdown(title, shown.map { ("\($0.shop.text) \(Self.plain(report.shopNames[$0.shop] ?? ""))", $0.figures) })
    }

    /// Removes characters that end a line or change the direction of text, because anybody can choose a name.
    private static func plain(_ name: String) -> String {
        String(
            String.UnicodeScalarView(
                name.unicodeScalars.filter {
                    $0.properties.generalCategory != .control && $0.properties.generalCategory != .format
                        && $0.properties.generalCategory != .lineSeparator && $0.properties.generalCategory != .paragraphSeparator
                }))
    }

    private func breakdown(_ title: String, _ rows: [(String, WhatIfReport.Compared)]) -> [String] {
        let rows = rows.filter { $0.1.difference != Tally() }
        guard !rows.isEmpty else { return [] }
        let figures = Figure.all(report)
        var table = TextTable([title] + figures.map(\.title))
        for (name, compared) in rows {
            table.add(
                [name]
                    + figures.map { figure in
                        let (before, after) = (figure.value(compared.before), figure.value(compared.after))
                        return "\(figure.text(before)) → \(figure.text(after))"
                    })
        }
        return [""] + table.lines
    }
}

/// A table of text, with the first column aligned to the left and numbers to the right.
struct TextTable {
    private static let gap = "  "

    private var rows: [[String]]

    init(_ titles: [String]) { rows = [titles] }

    mutating func add(_ row: [String]) { rows.append(row) }

    /// The lines, without trailing spaces.
    var lines: [String] {
        let count = rows.map(\.count).max() ?? 0
        let widths = (0..<count).map { column in rows.map { $0[column].count }.max() ?? 0 }
        return rows.map { row in
            let cells = row.enumerated().map { column, cell in
                let spaces = String(repeating: " ", count: widths[column] - cell.count)
                return column == 0 ? cell + spaces : spaces + cell
            }
            let line = cells.joined(separator: Self.gap)
            return String(line[..<(line.lastIndex { $0 != " " }.map { line.index(after: $0) } ?? line.startIndex)])
        }
    }
}
