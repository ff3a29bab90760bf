public import Loyalty
internal import LoyaltyCodec

/// Changes to a programme's rules, as changed input of decisions. `nil` or `.unchanged` stands for the recorded rule.
public struct ProgrammeRules: Hashable, Sendable {
    /// 1 to 50. A card keeps the goal with which it was opened.
    public var goal: Int?
    /// For an account and campaign in any 24 hours, 1 to 50; `.removed` lifts a recorded cap.
    public var stampsPerDayMax = Change<Int>.unchanged
    /// Between two codes of an account in a campaign, 1 to 86,400.
    public var minimumGapSeconds = Change<Int>.unchanged
    /// The cards of a campaign that one account may fill, 1 to 100.
    public var repeats = Change<Int>.unchanged
    /// Added to an account's first code in a campaign, 1 to 10.
    public var welcomeStamps = Change<Int>.unchanged
    /// In the shop's local time.
    public var bonuses = Change<[BonusHours]>.unchanged
    public var milestones = Change<[Milestone]>.unchanged
    /// 1 to 86,400; nil for the recorded validity.
    public var codeValidSeconds: Int?
    /// Stamps of each code, 1 to 10; nil for the recorded worth.
    public var codeWorth: Int?
    /// Factors for codes by the weekday of their issue, 1 to 10; a code's worth never exceeds 10 stamps.
    public var weekdays: [Weekday: Int] = [:]
    /// The assumption about the time at which a full card is redeemed.
    public var redemption = RedemptionMoment.asInHistory
    /// IANA name, for weekdays and months at shops that are not in ``shopTimeZones``.
    public var timeZone = "UTC"
    public var shopTimeZones: [ShopID: String] = [:]
    /// If this and ``shops`` are empty, the rules apply to all campaigns.
    public var campaigns: Set<CampaignID> = []
    /// The rules apply to every campaign of these shops.
    public var shops: Set<ShopID> = []

    public init() {}

    /// - Parameter shop: the campaign's own shop.
    func covers(_ campaign: CampaignID, of shop: ShopID) -> Bool {
        campaigns.isEmpty && shops.isEmpty || campaigns.contains(campaign) || shops.contains(shop)
    }

    /// Returns the campaign unchanged if it is not covered or has no stamp cards.
    func changed(_ campaign: Campaign) -> Campaign {
        guard campaign.kind == .stampCard, covers(campaign.id, of: campaign.shop) else { return campaign }
        var changed = campaign
        if let goal { changed.goal = goal }
        changed.caps = StampCaps(
            stampsPerDayMax: stampsPerDayMax.applied(to: campaign.caps.stampsPerDayMax),
            minimumGapSeconds: minimumGapSeconds.applied(to: campaign.caps.minimumGapSeconds))
        changed.options.repeats = repeats.applied(to: campaign.options.repeats)
        changed.options.welcomeStamps = welcomeStamps.applied(to: campaign.options.welcomeStamps)
        changed.options.bonuses = bonuses.applied(to: campaign.options.bonuses) ?? []
        // A lower goal removes milestones at or above it.
        changed.options.milestones = (milestones.applied(to: campaign.options.milestones) ?? []).filter { $0.at < changed.goal }
        return changed
    }

    /// The worth of a code issued on a weekday.
    ///
    /// - Parameter recorded: the worth in the log, which is used unless ``codeWorth`` is set.
    func worth(_ recorded: Int, on weekday: Weekday) -> Int {
        min((codeWorth ?? recorded) * (weekdays[weekday] ?? 1), Limits.codeStamps.upperBound)
    }
}

extension ProgrammeRules {
    static let weekdayFactors = 1...10

    /// Reads a rules file: one JSON object, whose members are all optional. `greentea-replay help what-if` describes them.
    ///
    /// - Parameter bytes: UTF-8.
    /// - Throws: ``RulesError``, with the place of the mistake.
    public init(json bytes: [UInt8]) throws(RulesError) {
        let reader = try RulesReader(bytes)
        self.init()
        goal = try reader.int("goal", in: Limits.goalStamps)
        stampsPerDayMax = try reader.change("stampsPerDayMax", in: Limits.stampsPerDay)
        minimumGapSeconds = try reader.change("minimumGapSeconds", in: Limits.minimumGapSeconds)
        repeats = try reader.change("repeats", in: Limits.repeats)
        welcomeStamps = try reader.change("welcomeStamps", in: Limits.welcomeStamps)
        bonuses = try reader.bonuses("bonuses")
        milestones = try reader.milestones("milestones", below: goal)
        codeValidSeconds = try reader.int("codeValidSeconds", in: Limits.codeValiditySeconds)
        codeWorth = try reader.int("codeWorth", in: Limits.codeStamps)
        weekdays = try reader.weekdays("weekdays", in: Self.weekdayFactors)
        if let moment = try reader.redemption("redemption") { redemption = moment }
        if let zone = try reader.zone("timeZone") { timeZone = zone }
        shopTimeZones = try reader.zones("shopTimeZones")
        campaigns = try reader.ids("campaigns", of: Campaign.self)
        shops = try reader.ids("shops", of: Shop.self)
    }
}

extension ProgrammeRules {
    /// The differences from the recorded rules, in one line; "as recorded" for none.
    public var summary: String {
        var parts: [String] = []
        if let goal { parts.append("goal \(goal)") }
        parts += Self.text(stampsPerDayMax, "no cap a day") { "at most \($0) stamps an account in 24 hours" }
        parts += Self.text(minimumGapSeconds, "no minimum gap") { "\($0) s between codes of an account" }
        parts += Self.text(repeats, "any number of cards") { "at most \($0) cards an account" }
        parts += Self.text(welcomeStamps, "no welcome") { "a welcome of \($0)" }
        parts += Self.text(bonuses, "no bonus hours") { "bonus hours " + $0.map(\.text).joined(separator: "; ") }
        parts += Self.text(milestones, "no milestones") { "milestones at " + $0.map { "\($0.at)" }.joined(separator: ", ") }
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

    private static func text<Value>(_ change: Change<Value>, _ none: String, _ some: (Value) -> String) -> [String] {
        switch change {
        case .unchanged: []
        case .removed: [none]
        case .set(let value): [some(value)]
        }
    }
}

/// The assumption about when customers redeem cards that are full under the changed rules, because a log cannot tell.
public enum RedemptionMoment: String, Hashable, Sendable, CaseIterable {
    /// When the customer redeemed a card in history: at least one full card, and more until no more are left unredeemed than in history.
    case asInHistory
    /// The shop's owner redeems cards and milestones at once. A recorded redemption is executed if a card is full then.
    case whenFull
}
