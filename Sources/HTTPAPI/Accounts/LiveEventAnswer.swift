import Loyalty
import ReadModels

/// The message about one event in a stream.
///
/// Each message has `kind`, `at` and `position`. The other fields depend on the message's `event:`
/// - `card`, to its holder: `kind` opened, stamped, full (the last stamp was added), stampReversed, adjusted, redemptionRequested,
///   redeemed, reversed (a reward was taken back), discarded, expired, milestoneRequested, milestoneRedeemed, milestoneReversed; `added`,
///   and `card` in its state after that event, without history; `redemption`, an id, when a reward is requested, handed out or taken back;
/// - `code`, to owner and staff: `kind` issued, used, reversed, destroyed; `code`, `campaign`, `shop`, and `stamps`: for issued the code's
///   value, for used the stamps added to one card, for reversed the stamps that one card lost, for destroyed 0;
/// - `redemption`, to owner and staff: `kind` redeemed, reversed, milestoneRedeemed or milestoneReversed; `redemption`, `card`, `campaign`,
///   `shop`, `by`, and `milestone` for the reward of a milestone;
/// - `notice`, to its receivers, or for a reminder about a card to the card's holder: `kind` posted; `notice` as GET /me/notices gives it.
///
/// If the stamps of one code go onto several cards, there is a message about the use of the code for each card. Clients MUST ignore unknown
/// names and kinds.
struct LiveEventAnswer: JSONWritable {
    let fact: Fact
    let content: Content

    /// The data of a message besides its event: the card or the notice that the message is about; none for events at a shop's counter.
    enum Content {
        case card(Card)
        case shop
        case notice(NoticeAnswer)
    }

    /// The `event:` of the message.
    var name: String {
        switch content {
        case .card: "card"
        case .notice: "notice"
        case .shop:
            switch fact.event {
            case .cardRedeemed, .redemptionReversed, .milestoneRedeemed, .milestoneReversed: "redemption"
            default: "code"
            }
        }
    }

    func write(to json: inout JSONWriter) {
        json.object {
            $0.field("kind", kind)
            $0.field("at", fact.time)
            $0.field("position", fact.position)
            switch content {
            case .card(let card):
                $0.field("added", added)
                $0.field("card", CardAnswer(card: card, withHistory: false))
                if let redemption { $0.field("redemption", redemption) }
            case .notice(let notice): $0.field("notice", notice)
            case .shop: writeShop(to: &$0)
            }
        }
    }

    private var kind: String {
        switch (fact.event, content) {
        case (.cardOpened, _): "opened"
        case (.cardStamped, .card(let card)): card.status == .full ? "full" : "stamped"
        case (.cardStamped, _): "used"
        case (.redemptionRequested, _): "redemptionRequested"
        case (.cardRedeemed, _): "redeemed"
        case (.redemptionReversed, _): "reversed"
        case (.milestoneRequested, _): "milestoneRequested"
        case (.milestoneRedeemed, _): "milestoneRedeemed"
        case (.milestoneReversed, _): "milestoneReversed"
        case (.cardAdjusted, _): "adjusted"
        case (.stampReversed, .shop): "reversed"
        case (.stampReversed, _): "stampReversed"
        case (.cardDiscarded, _): "discarded"
        case (.cardExpired, _): "expired"
        case (.codeIssued, _): "issued"
        case (.codeDestroyed, _): "destroyed"
        case (.noticePosted, _), (.cardReminded, _): "posted"
        default: "changed"
        }
    }

    private var added: Int {
        switch fact.event {
        case .cardStamped(let event): event.stamps
        case .cardAdjusted(let event): event.stamps
        case .stampReversed(let event): -event.stamps
        default: 0
        }
    }

    private var redemption: RedemptionID? {
        switch fact.event {
        case .redemptionRequested(let event): event.redemption
        case .cardRedeemed(let event): event.redemption
        case .redemptionReversed(let event): event.redemption
        case .milestoneRequested(let event): event.redemption
        case .milestoneRedeemed(let event): event.redemption
        case .milestoneReversed(let event): event.redemption
        default: nil
        }
    }

    private func writeShop(to json: inout JSONWriter) {
        switch fact.event {
        case .codeIssued(let event): write(event.code, event.campaign, event.shop, stamps: event.stamps, to: &json)
        case .codeDestroyed(let event): write(event.code, event.campaign, event.shop, stamps: 0, to: &json)
        case .cardStamped(let event): write(event.code, event.campaign, event.shop, stamps: event.stamps, to: &json)
        case .stampReversed(let event): write(event.code, event.campaign, event.shop, stamps: event.stamps, to: &json)
        case .cardRedeemed(let event): write(event.redemption, event.card, event.campaign, event.shop, to: &json)
        case .redemptionReversed(let event): write(event.redemption, event.card, event.campaign, event.shop, to: &json)
        case .milestoneRedeemed(let event):
            write(event.redemption, event.card, event.campaign, event.shop, to: &json)
            json.field("milestone", event.milestone)
        case .milestoneReversed(let event):
            write(event.redemption, event.card, event.campaign, event.shop, to: &json)
            json.field("milestone", event.milestone)
        default: break
        }
    }

    private func write(
        _ redemption: RedemptionID, _ card: CardID, _ campaign: CampaignID, _ shop: ShopID, to json: inout JSONWriter
    ) {
        json.field("redemption", redemption)
        json.field("card", card)
        json.field("campaign", campaign)
        json.field("shop", shop)
        json.field("by", fact.actor)
    }

    private func write(_ code: CodeID, _ campaign: CampaignID, _ shop: ShopID, stamps: Int, to json: inout JSONWriter) {
        json.field("code", code)
        json.field("campaign", campaign)
        json.field("shop", shop)
        json.field("stamps", stamps)
    }
}
