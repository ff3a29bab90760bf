import CommandService
import Loyalty
import LoyaltyCodec
import Search

extension Resources {
    /// Campaigns as a list shows them: read from the log, with what the model knows of how they stand.
    ///
    /// - Parameters:
    ///   - found: which, each with its distance where there is one.
    ///   - viewer: who asks, where that is known.
    func campaignAnswers(_ found: [(CampaignID, Int?)], for viewer: AccountID?) throws -> [CampaignAnswer] {
        let now = now
        let standings = try service.discovery.standings(of: found.map(\.0), for: viewer)
        return try found.map { id, distance in
            let campaign = try existing { try $0.campaign(id) }
            let shop = try shop(campaign.shop)
            return CampaignAnswer(
                campaign: try service.opened(campaign, of: shop), shop: shop, now: now, withDetails: false, standing: standings[id] ?? .new,
                distanceMillimeters: distance)
        }
    }
}
