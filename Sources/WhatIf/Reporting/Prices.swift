public import Loyalty
internal import LoyaltyCodec

/// What a reward costs the shop, in cents of whatever its money is.
public struct Prices: Hashable, Sendable {
    /// The most that a reward may cost: sums of it cannot overflow.
    private static let centsMax = 100_000_000

    /// For campaigns without one of their own; nil where no price was given at all.
    public private(set) var common: Int?
    /// Campaigns with a price of their own.
    public private(set) var byCampaign: [CampaignID: Int] = [:]

    /// No prices: no costs are reported.
    public init() {}

    /// Whether there is any.
    public var isEmpty: Bool { common == nil && byCampaign.isEmpty }

    /// Adds `350`, or `camp_01…=350` for one campaign.
    ///
    /// - Returns: false where it is neither, or was said before.
    public mutating func add(_ text: String) -> Bool {
        let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        guard let cents = parts.last.flatMap({ Int($0) }), (0...Self.centsMax).contains(cents) else { return false }
        if parts.count == 1 {
            guard common == nil else { return false }
            common = cents
            return true
        }
        guard let campaign = CampaignID(text: String(parts[0])), byCampaign[campaign] == nil else { return false }
        byCampaign[campaign] = cents
        return true
    }

    func cents(of campaign: CampaignID) -> Int { byCampaign[campaign] ?? common ?? 0 }
}
