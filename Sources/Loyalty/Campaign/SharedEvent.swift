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

extension CodeIssued: SharedEvent {}
extension CardOpened: SharedEvent {}
extension CardStamped: SharedEvent {}
extension StampReversed: SharedEvent {}
extension CardRedeemed: SharedEvent {}
extension RedemptionReversed: SharedEvent {}
extension MilestoneRedeemed: SharedEvent {}
extension MilestoneReversed: SharedEvent {}
extension PaperStamped: SharedEvent {}
extension PaperStampReversed: SharedEvent {}

extension LoyaltyEvent {
    /// The campaign's own shop, if the event happened at another; otherwise nil.
    public var home: ShopID? {
        switch self {
        case .codeIssued(let event): event.home
        case .cardOpened(let event): event.home
        case .cardStamped(let event): event.home
        case .stampReversed(let event): event.home
        case .cardRedeemed(let event): event.home
        case .redemptionReversed(let event): event.home
        case .milestoneRedeemed(let event): event.home
        case .milestoneReversed(let event): event.home
        case .paperStamped(let event): event.home
        case .paperStampReversed(let event): event.home
        default: nil
        }
    }

    /// Whether the event takes back stamps or a reward. The people of the campaign's own shop may do so even if the stamps or the reward
    /// were given at another shop that has closed since, because nobody can do it there any more.
    var takesBack: Bool {
        switch self {
        case .stampReversed, .paperStampReversed, .redemptionReversed, .milestoneReversed: true
        default: false
        }
    }
}
