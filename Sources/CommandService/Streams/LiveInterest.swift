import EventLog
import Loyalty
import LoyaltyCodec
import ReadModels

/// Decides which events an account's streams show. For each shop and campaign, it has the positions after which, or between which, events
/// are shown. It is computed from the account's own events. The computation does not read all events of the account's cards, but begins
/// with the shops and cards that the model of notices has. Otherwise it could take long, because others can give an account any number of
/// cards.
///
/// An account sees events of its own cards, and notices that are for it. Staff of a shop also see the shop's codes, stamps and redemptions,
/// after the event that began the employment and until the event that ended the employment. A stream that is resumed after the end of an
/// employment also leaves out the shop's events from before this end.
struct LiveInterest: Hashable, Sendable {
    let account: AccountID
    /// The position of the account's registration; 0 if it is not known yet.
    private(set) var registered: UInt64 = 0
    /// Shops that the account owns or works for, each with the position of the event by which this began.
    private(set) var workplaces: [ShopID: UInt64] = [:]
    /// Shops where the account has had a card, each with the position of the first card.
    private(set) var shops: [ShopID: UInt64] = [:]
    /// For each shop, the ranges of positions in which the account had muted it.
    private(set) var mutes: [ShopID: MutedStretches] = [:]
    /// For each campaign, the ranges of positions in which the account held cards of it, as in the model of notices. A notice to a
    /// campaign's holders is for the account if it held a card at the notice's position. The cards that the account holds when a stream is
    /// resumed do not matter.
    private(set) var held: [CampaignID: HeldCards] = [:]
    /// The position up to which events of cards were applied, and the position up to which all other events were applied.
    private var notedCards: UInt64 = 0
    private var notedActs: UInt64 = 0

    /// - Parameter places: the shops and cards of the account when the stream begins, and the position of that state in the log.
    init(of account: AccountID, _ places: NoticePlaces = NoticePlaces()) {
        self.account = account
        shops = places.shops
        held = places.held
        notedCards = places.position.rawValue
    }

    /// Applies an event that changes the interest. Facts MUST come in order; a repeated fact changes nothing.
    ///
    /// - Parameter isSpent: for a discarded card, whether it was redeemed or expired before; see ``isSpent(_:in:)``.
    mutating func note(_ fact: Fact, isSpent: Bool = false) {
        switch fact.event {
        case .cardOpened, .redemptionReversed, .cardRedeemed, .cardDiscarded, .cardExpired, .waitingCardTaken:
            guard fact.position > notedCards else { return }
            notedCards = fact.position
            noteCard(fact, isSpent: isSpent)
        default:
            guard fact.position > notedActs else { return }
            notedActs = fact.position
            noteAct(fact)
        }
    }

    private mutating func noteAct(_ fact: Fact) {
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
        default: break
        }
    }

    /// Applies an event of a card to the ranges in which cards are held, in the same way as the model of notices.
    private mutating func noteCard(_ fact: Fact, isSpent: Bool) {
        switch fact.event {
        case .cardOpened(let event) where event.holder == account:
            begin(&shops, event.campaignShop, fact)
            hold(event.campaign, at: event.campaignShop, fact)
        case .redemptionReversed(let event) where event.holder == account: hold(event.campaign, at: event.campaignShop, fact)
        case .cardRedeemed(let event) where event.holder == account: release(event.campaign, fact)
        case .cardDiscarded(let event) where event.holder == account && !isSpent: release(event.campaign, fact)
        case .cardExpired(let event) where event.holder == account: release(event.campaign, fact)
        case .waitingCardTaken(let event) where event.holder == account && event.from != nil:
            begin(&shops, event.shop, fact)
            if event.stamps > 0 { hold(event.campaign, at: event.shop, fact) }
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

    /// Drops the ranges of mutes and held cards that end at or before `position`, because no event up to this position will be checked
    /// again. So the size of an interest depends on the unread part of the log, and not on the number of all earlier cards and mutes.
    mutating func forget(through position: Position) {
        for (shop, muted) in mutes where muted.stretches.contains(where: { $0.before <= position.rawValue }) {
            let left = muted.stretches.filter { $0.before > position.rawValue }
            mutes[shop] = left.isEmpty ? nil : MutedStretches(left)
        }
        for (campaign, cards) in held where cards.stretches.contains(where: { $0.before <= position.rawValue }) {
            let left = cards.stretches.filter { $0.before > position.rawValue }
            held[campaign] = left.isEmpty ? nil : HeldCards(shop: cards.shop, live: cards.live, stretches: left)
        }
    }

    private mutating func hold(_ campaign: CampaignID, at shop: ShopID, _ fact: Fact) {
        held[campaign, default: HeldCards(shop: shop.value)].begin(at: fact.position)
    }

    private mutating func release(_ campaign: CampaignID, _ fact: Fact) {
        // The read model keeps a range only if a notice was posted in it. Here every range is kept until `forget(through:)` drops it, so
        // `newestNotice` is the maximum.
        held[campaign]?.end(at: fact.position, newestNotice: .max)
    }

    private func begin(_ places: inout [ShopID: UInt64], _ shop: ShopID, _ fact: Fact) {
        if places[shop] == nil { places[shop] = fact.position }
    }
}

/// The queries that find the events of an interest in the log.
extension LiveInterest {
    /// Types of a card's events, which are tagged with its holder.
    private static let cardTypes: [EventType] = [
        .cardOpened, .cardStamped, .cardDiscarded, .cardAdjusted, .stampReversed, .redemptionRequested, .cardRedeemed,
        .redemptionReversed, .cardExpired, .cardReminded, .milestoneRequested, .milestoneRedeemed, .milestoneReversed, .waitingCardTaken,
    ]
    /// Types of events for the staff of a shop, which are tagged with the shop.
    private static let shopTypes: [EventType] = [
        .codeIssued, .codeDestroyed, .cardStamped, .stampReversed, .cardRedeemed, .redemptionReversed, .milestoneRedeemed,
        .milestoneReversed,
    ]
    /// Types of events, other than those of cards, that change an account's interest. They are tagged with the account; the transfer of a
    /// shop also has a tag of the former owner.
    private static let actTypes: [EventType] = [
        .accountRegistered, .shopOpened, .staffAdded, .staffRemoved, .staffJoined, .employmentEnded, .shopTransferred, .shopMuted,
        .shopUnmuted,
    ]
    /// Types of events by which cards begin or end to be held, which are tagged with the holder.
    private static let holdingTypes: [EventType] = [
        .cardOpened, .cardRedeemed, .redemptionReversed, .cardDiscarded, .cardExpired, .waitingCardTaken,
    ]
    /// All types of events that a stream shows, that change its interest, or that end it.
    static let types = Array(Set(cardTypes + shopTypes + actTypes + holdingTypes + [.noticePosted, .sessionEnded]))

    /// Loads an account's interest as of a position. Of the events of cards, only those after the position of `places` are read. The events
    /// are read in pages, and other tasks can run between two pages.
    ///
    /// - Parameters:
    ///   - places: the account's shops and cards as the model of notices has them, at any position.
    ///   - start: the position after which the stream begins. Ranges of positions that end at or before it are not kept.
    ///   - counting: called after each page, with the number of its events.
    static func load(
        of account: AccountID, _ places: NoticePlaces, from log: some EventSource, after start: Position, through position: Position,
        counting: (Int) -> Void = { _ in }
    ) async throws -> LiveInterest {
        var interest = LiveInterest(of: account, places)
        let tag = Tag(kind: .account, value: account.value)
        let acts = [
            QueryItem(types: actTypes, tags: [tag]),
            QueryItem(types: [.shopTransferred], tags: [Tag(kind: .formerOwner, value: account.value)]),
        ]
        try await interest.note(acts, in: log, after: .start, through: position, keepingAfter: start, counting: counting)
        let holding = [QueryItem(types: holdingTypes, tags: [tag])]
        try await interest.note(
            holding, in: log, after: min(places.position, position), through: position, keepingAfter: start, counting: counting)
        interest.notedActs = max(interest.notedActs, position.rawValue)
        interest.notedCards = max(interest.notedCards, position.rawValue)
        return interest
    }

    private mutating func note(
        _ items: [QueryItem], in log: some EventSource, after: Position, through: Position, keepingAfter start: Position,
        counting: (Int) -> Void
    ) async throws {
        var after = after
        while after < through {
            let page = try log.events(matching: .items(items), after: after, through: through, limit: Limits.liveLoadedPageEvents)
            for event in page {
                let fact = try LoyaltyCodec.decode(event)
                note(fact, isSpent: try Self.isSpent(fact, in: log))
            }
            forget(through: start)
            counting(page.count)
            guard page.count == Limits.liveLoadedPageEvents, let last = page.last else { return }
            after = last.position
            await Task.yield()
        }
    }

    /// Whether an event discards a card that was redeemed or expired before, and so was not held any more. False for other events.
    static func isSpent(_ fact: Fact, in log: some EventSource) throws -> Bool {
        guard case .cardDiscarded(let event) = fact.event else { return false }
        let ends = QueryItem(
            types: [.cardRedeemed, .redemptionReversed, .cardExpired], tags: [Tag(kind: .card, value: event.card.value)])
        let before = Position(fact.position - 1)
        let last = try log.events(matching: .items([ends]), through: before, backwards: true, limit: 1).first
        return last.map { $0.event.type != .redemptionReversed } ?? false
    }

    /// Finds one page of events in a range of the log by the tag index, and selects those that the streams show.
    ///
    /// - Returns: the selected events, the number of all events of the page, and the position that the page reaches.
    func read(
        _ log: EventLog, after: Position, through: Position, limit: Int
    ) throws -> (facts: [Fact], count: Int, covered: Position) {
        var found: Set<Position> = []
        for start in stride(from: 0, to: items.count, by: LogLimits.queryItemsMax) {
            let query = Query.items(Array(items[start..<min(start + LogLimits.queryItemsMax, items.count)]))
            // Only the first `limit` matches of all queries together are needed. They are among the first `limit` matches of each query.
            found.formUnion(try log.positions(matching: query, after: after, through: through, backwards: false, limit: limit))
        }
        let page = found.sorted().prefix(limit)
        let facts = try page.compactMap { try log.event(at: $0) }.map { try LoyaltyCodec.decode($0) }
        return (facts.filter(wants), page.count, page.count < limit ? through : page.last ?? through)
    }

    /// One query item for the account's cards, one for each shop where it works, one for notices to everybody, and one for the notices of
    /// each shop where the account has had a card.
    private var items: [QueryItem] {
        [QueryItem(types: Self.cardTypes, tags: [Tag(kind: .account, value: account.value)])]
            + workplaces.keys.sorted().map { QueryItem(types: Self.shopTypes, tags: [Tag(kind: .shop, value: $0.value)]) }
            + ([NoticeAudience.all] + shops.keys.sorted().map { .shop($0) }).map {
                QueryItem(types: [.noticePosted], tags: [Tag(kind: .shop, value: $0.tagValue)])
            }
    }
}
