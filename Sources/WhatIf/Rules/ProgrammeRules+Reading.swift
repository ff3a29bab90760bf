internal import Loyalty

extension ProgrammeRules {
    /// How far a weekday may multiply what a code is worth.
    static let weekdayFactors = 1...10

    /// Reads a rules file: one JSON object, whose members are all optional.
    ///
    /// ```
    /// {
    ///   "goal": 8,                                stamps that fill a card, 1 to 50
    ///   "stampsPerDayMax": 2,                     a card in any 24 hours, 1 to 50; null for no cap
    ///   "minimumGapSeconds": 3600,                between two codes on a card, 1 to 86400; null for no gap
    ///   "codeValidSeconds": 3600,                 1 to 86400
    ///   "codeWorth": 1,                           what each code is worth, 1 to 10
    ///   "weekdays": {"monday": 2},                times as much on these days, 1 to 10; a code at most 10
    ///   "redemption": "asInHistory",              or "whenFull"
    ///   "timeZone": "Asia/Shanghai",              for weekdays and months; UTC where it is left out
    ///   "shopTimeZones": {"shop_01…": "Europe/Helsinki"},
    ///   "campaigns": ["camp_01…"],                only these campaigns,
    ///   "shops": ["shop_01…"]                     and those of these shops
    /// }
    /// ```
    ///
    /// - Parameter bytes: UTF-8.
    /// - Throws: ``RulesError``, with the place of what is wrong.
    public init(json bytes: [UInt8]) throws(RulesError) {
        let reader = try RulesReader(bytes)
        self.init()
        goal = try reader.int("goal", in: Limits.goalStamps)
        stampsPerDayMax = try reader.change("stampsPerDayMax", in: Limits.stampsPerDay)
        minimumGapSeconds = try reader.change("minimumGapSeconds", in: Limits.minimumGapSeconds)
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
