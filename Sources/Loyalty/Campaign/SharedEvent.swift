/// An event of a campaign that may happen at each of its shops.
///
/// The event's shop is the one at which it happened: there it is listed, followed and counted, and nowhere else. So a campaign of several
/// shops is counted once. `home` names the campaign's own shop where that is another, to which the card belongs.
public protocol SharedEvent {
    var campaign: CampaignID { get }
    var shop: ShopID { get }
    var home: ShopID? { get }
}

extension SharedEvent {
    /// The shop of the campaign and of its cards.
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
    /// The campaign's shop, where the event happened at another.
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
}
