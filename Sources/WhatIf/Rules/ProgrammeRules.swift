public import Loyalty

/// What a programme's rules would have been: whatever is `nil` or unchanged stays as it was recorded.
///
/// The rules change what a decision sees (a campaign's goal and caps, a code's worth and validity) and never how it is made.
public struct ProgrammeRules: Hashable, Sendable {
    /// Stamps that fill a card opened from then on, 1 to 50. A card keeps the goal with which it was opened, as in the service.
    public var goal: Int?
    /// Stamps that a card may gain in any 24 hours, 1 to 50; `.removed` lifts a recorded cap.
    public var stampsPerDayMax = Change<Int>.unchanged
    /// Seconds between two uses of codes on one card, 1 to 86,400; `.removed` lifts a recorded gap.
    public var minimumGapSeconds = Change<Int>.unchanged
    /// Seconds for which a code works after it was issued, 1 to 86,400.
    public var codeValidSeconds: Int?
    /// Stamps that each code is worth, 1 to 10.
    public var codeWorth: Int?
    /// By how much the worth of codes issued on a weekday is multiplied, 1 to 10; no code is worth more than 10 stamps.
    public var weekdays: [Weekday: Int] = [:]
    /// When a full card turns into its reward.
    public var redemption = RedemptionMoment.asInHistory
    /// What weekdays and months are in: an IANA name.
    public var timeZone = "UTC"
    /// Shops in another zone than ``timeZone``.
    public var shopTimeZones: [ShopID: String] = [:]
    /// Campaigns that the rules are about; with ``shops`` empty too, all.
    public var campaigns: Set<CampaignID> = []
    /// Shops all of whose campaigns the rules are about.
    public var shops: Set<ShopID> = []

    /// The recorded rules.
    public init() {}

    /// Whether the rules are about a campaign.
    func covers(_ campaign: CampaignID, of shop: ShopID) -> Bool {
        campaigns.isEmpty && shops.isEmpty || campaigns.contains(campaign) || shops.contains(shop)
    }

    /// A campaign as decisions are to see it.
    func changed(_ campaign: Campaign) -> Campaign {
        guard campaign.kind == .stampCard, covers(campaign.id, of: campaign.shop) else { return campaign }
        var changed = campaign
        if let goal { changed.goal = goal }
        changed.caps = StampCaps(
            stampsPerDayMax: Self.applied(stampsPerDayMax, to: campaign.caps.stampsPerDayMax),
            minimumGapSeconds: Self.applied(minimumGapSeconds, to: campaign.caps.minimumGapSeconds))
        return changed
    }

    /// What a code of a recorded worth is worth when it is issued on a weekday.
    func worth(_ recorded: Int, on weekday: Weekday) -> Int {
        min((codeWorth ?? recorded) * (weekdays[weekday] ?? 1), Limits.codeStamps.upperBound)
    }

    private static func applied(_ change: Change<Int>, to value: Int?) -> Int? {
        switch change {
        case .unchanged: value
        case .removed: nil
        case .set(let new): new
        }
    }
}
