internal import Loyalty
internal import LoyaltyCodec

/// A shop of the file whose campaign is published.
struct OpenedShop: Sendable {
    /// The value of the shop column.
    let value: String
    let owner: AccountID
    /// As the log has it: an earlier import may have published it.
    let campaign: CampaignPublished

    /// Why a visit at `time` cannot be stamped, or `nil`.
    func complaint(about time: Instant) -> String? {
        if time < campaign.startsAt { return "the visit is before the shop's campaign, which began with an earlier import" }
        if time >= campaign.endsAt {
            return "the visit is after the end of the shop's campaign, \(campaign.endsAt.rfc3339): no campaign runs longer"
        }
        return nil
    }
}
