internal import Loyalty
internal import LoyaltyCodec

extension ProgrammeRules {
    /// What differs from the recorded rules, in one line; "as recorded" for nothing.
    public var summary: String {
        var parts: [String] = []
        if let goal { parts.append("goal \(goal)") }
        parts += Self.text(stampsPerDayMax, "no cap a day") { "at most \($0) stamps a card in 24 hours" }
        parts += Self.text(minimumGapSeconds, "no minimum gap") { "\($0) s between codes on a card" }
        if let codeValidSeconds { parts.append("codes valid \(codeValidSeconds) s") }
        if let codeWorth { parts.append("codes worth \(codeWorth)") }
        for day in Weekday.allCases { if let factor = weekdays[day] { parts.append("×\(factor) on \(day.name)") } }
        if redemption == .whenFull { parts.append("redeemed when full") }
        if parts.isEmpty { return "as recorded" }
        if !weekdays.isEmpty { parts.append("time zone \(timeZone)") }
        for (shop, zone) in shopTimeZones.sorted(by: { $0.key.text < $1.key.text }) { parts.append("\(shop.text) in \(zone)") }
        let only = campaigns.map(\.text).sorted() + shops.map(\.text).sorted()
        return parts.joined(separator: ", ") + (only.isEmpty ? "" : "; only \(only.joined(separator: ", "))")
    }

    private static func text(_ change: Change<Int>, _ none: String, _ some: (Int) -> String) -> [String] {
        switch change {
        case .unchanged: []
        case .removed: [none]
        case .set(let value): [some(value)]
        }
    }
}
