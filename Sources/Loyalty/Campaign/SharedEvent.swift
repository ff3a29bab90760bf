/// An event that may happen at any shop of a campaign.
///
/// The event's `shop` is the shop at which it happened. Only that shop's lists, streams and statistics include the event, so nothing is
/// counted twice. `home` names the campaign's own shop, to which the card belongs, if that is another shop.
public protocol SharedEvent {
    var campaign: CampaignID { get }
    var shop: ShopID { get }
    var home: ShopID? { get }
}

extension SharedEvent {
    /// The campaign's own shop, to which its cards belong.
    public var campaignShop: ShopID { home ?? shop }
}

extension LoyaltyEvent {
    /// Whether the event takes back stamps or a reward. The people of the campaign's own shop may do so even if the stamps or the reward
    /// were given at another shop that has closed since, because nobody can do it there any more.
    var takesBack: Bool {
        switch self {
        case .stampReversed, .paperStampReversed, .redemptionReversed, .milestoneReversed: true
        default: false
        }
    }
}
