/// What a campaign is: a card to fill (集点卡) or an announcement (促销活动).
public enum CampaignKind: Hashable, Sendable {
    case stampCard
    case promotion
}
