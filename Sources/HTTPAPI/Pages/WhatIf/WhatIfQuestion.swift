import Loyalty
import LoyaltyCodec
import WhatIf

/// A question about a campaign's history under other terms.
struct WhatIfQuestion: Sendable {
    let account: AccountID
    let shop: ShopID
    /// As of the question.
    let campaign: Campaign
    let rules: ProgrammeRules
    /// As typed, to show them again.
    let form: WhatIfForm
}

struct WhatIfForm: Sendable {
    static let names = ["campaign", "goal", "cap", "welcome", "factor", "days", "from", "to"]
    /// A field's value for "without this term".
    static let none = "none"

    private let fields: [String: String]

    init(_ form: Form) { fields = Dictionary(uniqueKeysWithValues: Self.names.map { ($0, form[$0] ?? "") }) }

    subscript(name: String) -> String { fields[name] ?? "" }

    var campaign: CampaignID? { CampaignID(text: self["campaign"]) }

    /// The rules that the form's fields describe.
    ///
    /// - Parameter zone: the shop's, by which months begin.
    /// - Throws: `invalidRequest` with the first field that the form cannot have sent.
    func rules(in zone: String) throws(Problem) -> ProgrammeRules {
        var rules = ProgrammeRules()
        rules.timeZone = zone
        rules.goal = try number("goal", Loyalty.Limits.goalStamps)
        rules.stampsPerDayMax = try change("cap", Loyalty.Limits.stampsPerDay)
        rules.welcomeStamps = try change("welcome", Loyalty.Limits.welcomeStamps)
        rules.bonuses = try bonus()
        return rules
    }

    private func number(_ name: String, _ range: ClosedRange<Int>) throws(Problem) -> Int {
        // Only ASCII digits: `Int` also reads a sign.
        let text = self[name]
        guard text.utf8.count <= 3, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let number = Int(text), range.contains(number)
        else { throw Problem.invalid(name, .wholeNumber(range)) }
        return number
    }

    private func change(_ name: String, _ range: ClosedRange<Int>) throws(Problem) -> Change<Int> {
        switch self[name] {
        case "": .unchanged
        case Self.none: .removed
        default: .set(try number(name, range))
        }
    }

    private func bonus() throws(Problem) -> Change<[BonusHours]> {
        switch self["factor"] {
        case "": return .unchanged
        case Self.none: return .removed
        default: break
        }
        let factor = try number("factor", Loyalty.Limits.bonusFactor)
        guard let days = WhatIfDays(rawValue: self["days"]) else {
            throw Problem.invalid("days", .oneOf(WhatIfDays.allCases.map(\.rawValue)))
        }
        guard let from = DayClock.minute(self["from"]) else { throw Problem.invalid("from", .form(.timeOfDay)) }
        guard let to = DayClock.minute(self["to"]) else { throw Problem.invalid("to", .form(.timeOfDay)) }
        // 00:00 as the end of a bonus means minute 1,440.
        let bonuses = [BonusHours(days: days.weekdays, fromMinute: from, toMinute: to == 0 ? 1_440 : to, factor: factor)]
        if bonuses.fault != nil { throw Problem.invalid("to", .form(.timeOfDay)) }
        return .set(bonuses)
    }
}

enum WhatIfDays: String, CaseIterable {
    case all, workdays, weekend, monday, tuesday, wednesday, thursday, friday, saturday, sunday

    var weekdays: Weekdays {
        switch self {
        case .all: .all
        case .workdays: Weekdays(rawValue: 0x1F)
        case .weekend: Weekdays(rawValue: 0x60)
        default: Weekdays(rawValue: OpeningHours.dayNames.firstIndex(of: rawValue).map { 1 << UInt8($0) } ?? 0)
        }
    }
}
