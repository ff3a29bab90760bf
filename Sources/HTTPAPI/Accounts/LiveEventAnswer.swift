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
struct LiveEventAnswer: JSONRecord {
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

    var fields: JSONFields {
        let head: JSONFields = ["kind": kind, "at": fact.time, "position": fact.position]
        return switch content {
        case .card(let card):
            head + ["added": added, "card": CardAnswer(card: card, withHistory: false), "redemption": IfPresent(fact.event.redemption)]
        case .notice(let notice): head + ["notice": notice]
        case .shop: head + act
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

    private var act: JSONFields {
        switch fact.event {
        case .codeIssued(let event): act(event.code, event.campaign, event.shop, stamps: event.stamps)
        case .codeDestroyed(let event): act(event.code, event.campaign, event.shop, stamps: 0)
        case .cardStamped(let event): act(event.code, event.campaign, event.shop, stamps: event.stamps)
        case .stampReversed(let event): act(event.code, event.campaign, event.shop, stamps: event.stamps)
        case .cardRedeemed, .redemptionReversed, .milestoneRedeemed, .milestoneReversed:
            [
                "redemption": fact.event.redemption, "card": fact.event.card, "campaign": fact.event.campaign, "shop": fact.event.shop,
                "by": fact.actor, "milestone": IfPresent(milestone),
            ]
        default: [:]
        }
    }

    private func act(_ code: CodeID, _ campaign: CampaignID, _ shop: ShopID, stamps: Int) -> JSONFields {
        ["code": code, "campaign": campaign, "shop": shop, "stamps": stamps]
    }

    private var milestone: Int? {
        switch fact.event {
        case .milestoneRedeemed(let event): event.milestone
        case .milestoneReversed(let event): event.milestone
        default: nil
        }
    }
}
