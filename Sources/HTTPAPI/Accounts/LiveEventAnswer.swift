import Loyalty
import ReadModels

/// The message about one event in a stream, with `kind`, `at`, `position` and the fields of its type (`event:`).
///
/// - `card`, for the holder: `kind` is opened, stamped, full, stampReversed, adjusted, redemptionRequested, redeemed, reversed, discarded,
///   expired, milestoneRequested, milestoneRedeemed or milestoneReversed. `added` may be negative; `card` is the card after the event,
///   without history; `redemption` is an id.
/// - `code`, for the shop's owner and staff: `kind` is issued, used, reversed or destroyed. `stamps` is the code's value for issued, the
///   stamps one card gained for used or lost for reversed, else 0.
/// - `redemption`, for the shop's owner and staff: `kind` is redeemed, reversed, milestoneRedeemed or milestoneReversed.
/// - `notice`, for receivers, or the holder of the card of a reminder: `kind` is posted, and `notice` is as in `GET /me/notices`.
///
/// A code's use gets one message for each card. Clients MUST ignore unknown names and kinds.
struct LiveEventAnswer: JSONObject {
    let fact: Fact
    let content: Content

    /// The card or notice of the message; none for events at a counter.
    enum Content {
        case card(Card)
        case shop
        case notice(NoticeAnswer)
    }

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
