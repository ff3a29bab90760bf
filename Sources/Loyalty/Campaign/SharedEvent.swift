/// An event that may happen at any shop of a campaign. Only the lists and statistics of `shop`, where it happened, include it. `home` is
/// the campaign's own shop if that is another.
public protocol SharedEvent {
    var campaign: CampaignID { get }
    var shop: ShopID { get }
    var home: ShopID? { get }
}

extension SharedEvent {
    public var campaignShop: ShopID { home ?? shop }
}

extension LoyaltyEvent {
    /// The campaign's own shop may take back what another shop gave, which may have closed since.
    var takesBack: Bool {
        switch self {
        case .stampReversed, .paperStampReversed, .redemptionReversed, .milestoneReversed: true
        default: false
        }
    }
}
