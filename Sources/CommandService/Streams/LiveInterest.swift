import EventLog
import Loyalty
import LoyaltyCodec
import ReadModels

/// The events that an account's streams show, in the form of ids of shops and campaigns, with the positions from which on their events are
/// shown. It is a pure fold of the account's own events.
///
/// An account sees events of its own cards, and notices that are for it. Staff of a shop also see its codes and its redemptions, from the
/// event that began the employment to the one that ended it. A stream that is resumed after the end of an employment leaves out the shop's
/// earlier events, too.
struct LiveInterest: Hashable, Sendable {
    let account: AccountID
    /// The position of the account's registration; 0 if it is not known yet.
    private(set) var registered: UInt64 = 0
    /// Shops where the account works, with the position of the hiring.
    private(set) var workplaces: [ShopID: UInt64] = [:]
    /// Shops where the account has had a card, with the position of the first card.
    private(set) var shops: [ShopID: UInt64] = [:]
    /// The ranges of positions in which the account had muted a shop.
    private(set) var mutes: [ShopID: MutedStretches] = [:]
    /// The ranges of positions in which the account held cards of a campaign, as in the model of notices. Whether a notice to holders is
    /// for the account depends on the notice's position, and not on the cards that the account holds when a stream is resumed.
    private(set) var held: [CampaignID: HeldCards] = [:]
    /// The account's collecting and full cards.
    private var live: Set<CardID> = []
    /// The position up to which events were applied.
    private var noted: UInt64 = 0

    init(of account: AccountID) {
        self.account = account
    }

    /// Applies an event that changes the interest. Facts MUST come in order; a repeated one changes nothing.
    mutating func note(_ fact: Fact) {
        guard fact.position > noted else { return }
        noted = fact.position
        switch fact.event {
        case .accountRegistered(let event) where event.account == account: registered = fact.position
        case .shopOpened(let event) where event.owner == account: begin(&workplaces, event.shop, fact)
        case .staffAdded(let event) where event.account == account: begin(&workplaces, event.shop, fact)
        case .staffRemoved(let event) where event.account == account: workplaces[event.shop] = nil
        case .staffJoined(let event) where event.account == account: begin(&workplaces, event.shop, fact)
        case .employmentEnded(let event) where event.account == account: workplaces[event.shop] = nil
        case .shopTransferred(let event) where event.formerOwner == account: workplaces[event.shop] = nil
        case .shopTransferred(let event) where event.account == account: begin(&workplaces, event.shop, fact)
        case .shopMuted(let event) where event.account == account:
            mutes[event.shop, default: MutedStretches()].mute(at: fact.position)
        case .shopUnmuted(let event) where event.account == account: mutes[event.shop]?.unmute(at: fact.position)
        case .cardOpened(let event) where event.holder == account:
            begin(&shops, event.campaignShop, fact)
            hold(event.card, of: event.campaign, at: event.campaignShop, fact)
        case .redemptionReversed(let event) where event.holder == account:
            hold(event.card, of: event.campaign, at: event.campaignShop, fact)
        case .cardRedeemed(let event) where event.holder == account: release(event.card, of: event.campaign, fact)
        case .cardDiscarded(let event) where event.holder == account: release(event.card, of: event.campaign, fact)
        case .cardExpired(let event) where event.holder == account: release(event.card, of: event.campaign, fact)
        default: break
        }
    }

    /// Whether the account's streams show an event.
    func wants(_ fact: Fact) -> Bool {
        // A card's reminder is a notice of its shop, which the account may have muted.
        if case .cardReminded(let event) = fact.event {
            return event.holder == account && mutes[event.shop]?.contains(fact.position) != true
        }
        if fact.event.holder == account { return true }
        switch fact.event {
        case .codeIssued, .codeDestroyed, .cardStamped, .stampReversed, .cardRedeemed, .redemptionReversed, .milestoneRedeemed,
            .milestoneReversed:
            return fact.event.shop.flatMap { workplaces[$0] }.map { $0 < fact.position } ?? false
        case .noticePosted(let event):
            guard let shop = event.audience.shop else { return registered < fact.position }
            guard let since = shops[shop], since < fact.position, mutes[shop]?.contains(fact.position) != true else { return false }
            guard let campaign = event.audience.campaign else { return true }
            return held[campaign]?.stretches.contains { $0.after < fact.position && fact.position < $0.before } ?? false
        default:
            return false
        }
    }

    /// Drops ranges that end by `position`, because no event up to there will be checked again. So an interest grows with the unread part
    /// of the log, not with the number of filled cards.
    mutating func forget(through position: Position) {
        for (campaign, cards) in held where cards.stretches.contains(where: { $0.before <= position.rawValue }) {
            let left = cards.stretches.filter { $0.before > position.rawValue }
            held[campaign] = left.isEmpty ? nil : HeldCards(shop: cards.shop, live: cards.live, stretches: left)
        }
    }

    private mutating func hold(_ card: CardID, of campaign: CampaignID, at shop: ShopID, _ fact: Fact) {
        guard live.insert(card).inserted else { return }
        held[campaign, default: HeldCards(shop: shop.value)].begin(at: fact.position)
    }

    private mutating func release(_ card: CardID, of campaign: CampaignID, _ fact: Fact) {
        // If the card's reward was handed out, the range has ended already.
        guard live.remove(card) != nil else { return }
        // The read model keeps a range only if a notice was posted in it. Here every range is kept until it is dropped.
        held[campaign]?.end(at: fact.position, newestNotice: .max)
    }

    private func begin(_ places: inout [ShopID: UInt64], _ shop: ShopID, _ fact: Fact) {
        if places[shop] == nil { places[shop] = fact.position }
    }
}

/// The interest as queries to the log.
extension LiveInterest {
    /// Types of a card's events, which are tagged with its holder.
    private static let cardTypes: [EventType] = [
        .cardOpened, .cardStamped, .cardDiscarded, .cardAdjusted, .stampReversed, .redemptionRequested, .cardRedeemed,
        .redemptionReversed, .cardExpired, .cardReminded, .milestoneRequested, .milestoneRedeemed, .milestoneReversed,
    ]
    /// Types of events for the staff of a shop, which are tagged with the shop.
    private static let shopTypes: [EventType] = [
        .codeIssued, .codeDestroyed, .cardStamped, .stampReversed, .cardRedeemed, .redemptionReversed, .milestoneRedeemed,
        .milestoneReversed,
    ]
    /// Types of events that change an interest, which are tagged with the account.
    private static let memberTypes: [EventType] = [
        .accountRegistered, .shopOpened, .staffAdded, .staffRemoved, .staffJoined, .employmentEnded, .shopTransferred, .cardOpened,
        .cardRedeemed, .redemptionReversed, .cardDiscarded, .cardExpired, .shopMuted, .shopUnmuted,
    ]
    /// All types of events that a stream shows, or that change its interest.
    static let types = Array(Set(cardTypes + shopTypes + memberTypes + [.noticePosted, .sessionEnded]))

    /// An account's interest in its state at a position.
    static func load(of account: AccountID, from log: EventLog, through position: Position) throws -> LiveInterest {
        var interest = LiveInterest(of: account)
        let items = [
            QueryItem(types: memberTypes, tags: [Tag(kind: .account, value: account.value)]),
            QueryItem(types: [.shopTransferred], tags: [Tag(kind: .formerOwner, value: account.value)]),
        ]
        for event in try log.events(matching: .items(items), through: position) {
            interest.note(try LoyaltyCodec.decode(event))
        }
        interest.noted = max(interest.noted, position.rawValue)
        return interest
    }

    /// The events that the streams show from a range of the log, found by the tag index: one page, and the position up to which it reaches.
    func read(_ log: EventLog, after: Position, through: Position, limit: Int) throws -> (facts: [Fact], covered: Position) {
        var found: Set<Position> = []
        for start in stride(from: 0, to: items.count, by: LogLimits.queryItemsMax) {
            let query = Query.items(Array(items[start..<min(start + LogLimits.queryItemsMax, items.count)]))
            // The first `limit` matches of all queries together are among the first `limit` matches of each query.
            found.formUnion(try log.positions(matching: query, after: after, through: through, backwards: false, limit: limit))
        }
        let page = found.sorted().prefix(limit)
        let facts = try page.compactMap { try log.event(at: $0) }.map { try LoyaltyCodec.decode($0) }
        return (facts.filter(wants), page.count < limit ? through : page.last ?? through)
    }

    /// One query for the account, one for each shop where it works, and one each for notices to all and to each shop's customers.
    private var items: [QueryItem] {
        [QueryItem(types: Self.cardTypes, tags: [Tag(kind: .account, value: account.value)])]
            + workplaces.keys.sorted().map { QueryItem(types: Self.shopTypes, tags: [Tag(kind: .shop, value: $0.value)]) }
            + ([NoticeAudience.all] + shops.keys.sorted().map { .shop($0) }).map {
                QueryItem(types: [.noticePosted], tags: [Tag(kind: .shop, value: $0.tagValue)])
            }
    }
}
