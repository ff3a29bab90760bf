import Foundation

/// The result of a run of the load generator.
public struct LoadReport: Sendable, Encodable {
    /// The mix of requests, without preparation and final checks.
    public let seconds: Double
    public let answers: Int
    /// Answers per second.
    public let rate: Double
    /// Repeated requests, after an answer 503 or a failed connection.
    public let retries: Int
    public let codesEntered: Int
    /// By the counter.
    public let papersStamped: Int
    /// Added to customers' accounts.
    public let papersTaken: Int
    public let cards: Int
    public let accounts: Int
    public let shops: Int
    /// How many ``shops`` have a branch.
    public let branches: Int
    /// At all branches.
    public let atBranches: PlaceSums
    public let lanes: Int
    public let seed: UInt64
    let allRoutes: LoadFigures.Route
    let routes: [LoadFigures.Route]
    public let violations: Int
    public let firstViolations: [String]
    /// Why no paper cards were tested; nil if they were.
    public let papersUntested: String?
    /// Nil for a completed run.
    public let stop: Stop?

    /// The end of a run that could not be completed.
    public struct Stop: Sendable, Encodable {
        /// The last answer, in seconds since the mix began.
        public let second: Double
        public let reason: String
    }
}

extension LoadReport {
    /// The report as a table for people.
    public var text: String {
        var lines = [
            "\(answers) answers in \(Self.decimal(seconds)) s: \(Self.decimal(rate)) a second, over \(lanes) connections (seed \(seed))",
            "\(codesEntered) stamp codes entered, \(cards) cards, \(accounts) accounts, \(shops) shops, "
                + "\(retries) refusals asked for again",
            "\(branches) shops share a campaign with a branch; there: \(atBranches.codes) codes, \(atBranches.stamps) stamps, "
                + "\(atBranches.redemptions) rewards",
            papers, "", Self.row("route", "answers", "p50 ms", "p99 ms", "p99.9 ms", "slowest"),
        ]
        for route in routes + [allRoutes] {
            lines.append(
                Self.row(
                    route.name, "\(route.answers)", Self.milliseconds(route.p50), Self.milliseconds(route.p99),
                    Self.milliseconds(route.p999), Self.milliseconds(route.slowest)))
        }
        lines.append("")
        let kept =
            (stop == nil ? "no rule violated" : "no rule violated until then; what is checked at the end was not")
            + (papersUntested == nil ? "" : "; cards on paper were not tested")
        if let stop {
            lines.append("THE RUN WAS NOT COMPLETED: the last answer came at second \(Self.decimal(stop.second)): \(stop.reason)")
        }
        lines.append(violations == 0 ? kept : "\(violations) RULES VIOLATED, the first of them:")
        return (lines + firstViolations.map { "  " + $0 }).joined(separator: "\n")
    }

    private var papers: String {
        if let papersUntested { return "cards on paper: NOT TESTED, the server prints none: \(papersUntested)" }
        return "cards on paper: \(papersStamped) times stamped, \(papersTaken) taken"
    }

    /// The report as one JSON object.
    public var json: String { get throws { try prettyJSON(self) } }

    private static func row(_ name: String, _ cells: String...) -> String {
        let padded = name + String(repeating: " ", count: max(1, 42 - name.count))
        return padded + cells.map { String(repeating: " ", count: max(1, 10 - $0.count)) + $0 }.joined()
    }

    private static func milliseconds(_ microseconds: UInt64) -> String { decimal(Double(microseconds) / 1_000) }

    private static func decimal(_ number: Double) -> String { String(format: "%.1f", number) }
}

/// One JSON object on several lines, with its members in the order of their names.
func prettyJSON(_ value: some Encodable) throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    return String(decoding: try encoder.encode(value), as: UTF8.self)
}
