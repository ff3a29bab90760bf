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
            stampsPerDayMax: Self.applied(stampsPerDayMax, to: campaign.caps.stampsPerDayMax),
            minimumGapSeconds: Self.applied(minimumGapSeconds, to: campaign.caps.minimumGapSeconds))
        changed.options.repeats = Self.applied(repeats, to: campaign.options.repeats)
        changed.options.welcomeStamps = Self.applied(welcomeStamps, to: campaign.options.welcomeStamps)
        changed.options.bonuses = Self.applied(bonuses, to: campaign.options.bonuses) ?? []
        // A lower goal removes milestones at or above it.
        changed.options.milestones = (Self.applied(milestones, to: campaign.options.milestones) ?? []).filter { $0.at < changed.goal }
        return changed
    }

    /// The worth of a code issued on a weekday.
    ///
    /// - Parameter recorded: the worth in the log, which is used unless ``codeWorth`` is set.
    func worth(_ recorded: Int, on weekday: Weekday) -> Int {
        min((codeWorth ?? recorded) * (weekdays[weekday] ?? 1), Limits.codeStamps.upperBound)
    }

    private static func applied<Value>(_ change: Change<Value>, to value: Value?) -> Value? {
        switch change {
        case .unchanged: value
        case .removed: nil
        case .set(let new): new
        }
    }
}

extension ProgrammeRules {
    static let weekdayFactors = 1...10

    /// Reads a rules file: one JSON object, whose members are all optional.
    ///
    /// ```
    /// {
    ///   "goal": 8,                                stamps that fill a card, 1 to 50
    ///   "stampsPerDayMax": 2,                     an account in any 24 hours, 1 to 50; null for no cap
    ///   "minimumGapSeconds": 3600,                between two codes of an account, 1 to 86400; null for no gap
    ///   "repeats": 3,                            cards that an account may fill, 1 to 100; null for any number
    ///   "welcomeStamps": 2,                      on top of an account's first code, 1 to 10; null for none
    ///   "bonuses": [{"days": ["monday"], "from": "14:00", "to": "16:00", "factor": 2}],   in the shop's local time; null for none
    ///   "milestones": [{"at": 3, "reward": "A cookie"}],   smaller rewards on the way, ascending; null for none
    ///   "codeValidSeconds": 3600,                 1 to 86400
    ///   "codeWorth": 1,                           what each code is worth, 1 to 10
    ///   "weekdays": {"monday": 2},                factors of a code's worth, 1 to 10; a code gives at most 10
    ///   "redemption": "asInHistory",              or "whenFull"
    ///   "timeZone": "Asia/Shanghai",              for weekdays and months; UTC where it is left out
    ///   "shopTimeZones": {"shop_01…": "Europe/Helsinki"},
    ///   "campaigns": ["camp_01…"],                only these campaigns,
    ///   "shops": ["shop_01…"]                     and those of these shops
    /// }
    /// ```
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
