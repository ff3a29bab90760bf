import Loyalty
import ReadModels

/// The message about one event in a stream.
///
/// Each message has `kind`, `at` and `position`. The other fields depend on the type of the message, which is in its line `event:`.
/// - `card`, for the holder of the card. `kind` is opened, stamped, full (the last stamp was added), stampReversed, adjusted,
///   redemptionRequested, redeemed, reversed (a reward was taken back), discarded, expired, milestoneRequested, milestoneRedeemed or
///   milestoneReversed. `added` has the number of stamps that were added, or a negative number if stamps were taken off, and `card` has the
///   card in its state after the event, without its history. `redemption` has an id when a reward is requested, handed out or taken back.
/// - `code`, for the shop's owner and staff. `kind` is issued, used, reversed or destroyed. `code`, `campaign` and `shop` have ids.
///   `stamps` has the code's value for issued, the stamps added to one card for used, the stamps that one card lost for reversed, and 0 for
///   destroyed.
/// - `redemption`, for the shop's owner and staff. `kind` is redeemed, reversed, milestoneRedeemed or milestoneReversed. The other fields
///   are `redemption`, `card`, `campaign`, `shop`, `by`, and `milestone` for the reward of a milestone.
/// - `notice`, for the notice's receivers, or for the card's holder if the notice is a reminder about a card. `kind` is posted, and
///   `notice` has the same form as in `GET /me/notices`.
///
/// If the stamps of one code go onto several cards, there is a message about the use of the code for each card. Clients MUST ignore unknown
/// names and kinds.
struct LiveEventAnswer: JSONObject {
    let fact: Fact
    let content: Content

    /// The data of a message besides its event: the card or the notice that the message is about; none for events at a shop's counter.
    enum Content {
        case card(Card)
        case shop
        case notice(NoticeAnswer)
    }

    /// The type of the message, for its line `event:`.
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

    func writeFields(to json: inout JSONWriter) {
        json.field("kind", kind)
        json.field("at", fact.time)
        json.field("position", fact.position)
        switch content {
        case .card(let card):
            json.field("added", added)
            json.field("card", CardAnswer(card: card, withHistory: false))
            if let redemption { json.field("redemption", redemption) }
        case .notice(let notice): json.field("notice", notice)
        case .shop: writeShop(to: &json)
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
        case (.waitingCardTaken, _): "taken"
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
        case .waitingCardTaken(let event): event.from == nil ? event.moved : event.stamps
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
