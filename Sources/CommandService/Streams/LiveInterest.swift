import EventLog
import Loyalty
import LoyaltyCodec
import ReadModels

/// The events that an account's streams show: for each shop and campaign, the ranges of positions in which its events are shown.
///
/// It begins with the model of notices, because others can give an account any number of cards to read. Staff see a shop's events during
/// their employment; a stream resumed after its end leaves out earlier ones too.
struct LiveInterest: Hashable, Sendable {
    let account: AccountID
    private(set) var registered: UInt64 = 0
    private(set) var workplaces: [ShopID: UInt64] = [:]
    private(set) var shops: [ShopID: UInt64] = [:]
    private(set) var mutes: [ShopID: MutedStretches] = [:]
    /// The ranges in which the account held cards of each campaign. A notice to holders needs a card at the notice's position, not at the
    /// stream's resumption.
    private(set) var held: [CampaignID: HeldCards] = [:]
    private var notedCards: UInt64 = 0
    private var notedActs: UInt64 = 0

    init(of account: AccountID, _ places: NoticePlaces = NoticePlaces()) {
        self.account = account
        shops = places.shops
        held = places.held
        notedCards = places.position.rawValue
    }

    /// Applies an event. Facts MUST come in order; a repeated fact changes nothing.
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
        case .shopMuted(let event) where event.account == account: mutes[event.shop, default: MutedStretches()].mute(at: fact.position)
        case .shopUnmuted(let event) where event.account == account: mutes[event.shop]?.unmute(at: fact.position)
        default: break
        }
    }

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

    func wants(_ fact: Fact) -> Bool {
        // A reminder is a notice of a shop that may be muted.
        if case .cardReminded(let event) = fact.event {
            return event.holder == account && mutes[event.shop]?.contains(fact.position) != true
        }
        if case .searchAlerted(let event) = fact.event { return event.account == account }
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
        default: return false
        }
    }

    /// Drops the ranges that end at or before `position`, so that the size depends on the unread part of the log only.
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
        // Unlike the read model, this keeps ranges without a notice until `forget(through:)`, hence the maximum.
        held[campaign]?.end(at: fact.position, newestNotice: .max)
    }

    private func begin(_ places: inout [ShopID: UInt64], _ shop: ShopID, _ fact: Fact) {
        if places[shop] == nil { places[shop] = fact.position }
    }
}

extension LiveInterest {
    private static let cardTypes: [EventType] = [
        .cardOpened, .cardStamped, .cardDiscarded, .cardAdjusted, .stampReversed, .redemptionRequested, .cardRedeemed,
        .redemptionReversed, .cardExpired, .cardReminded, .milestoneRequested, .milestoneRedeemed, .milestoneReversed, .waitingCardTaken,
    ]
    /// Found by the account like the types of cards.
    private static let ownTypes: [EventType] = cardTypes + [.searchAlerted]
    private static let shopTypes: [EventType] = [
        .codeIssued, .codeDestroyed, .cardStamped, .stampReversed, .cardRedeemed, .redemptionReversed, .milestoneRedeemed,
        .milestoneReversed,
    ]
    private static let actTypes: [EventType] = [
        .accountRegistered, .shopOpened, .staffAdded, .staffRemoved, .staffJoined, .employmentEnded, .shopTransferred, .shopMuted,
        .shopUnmuted,
    ]
    private static let holdingTypes: [EventType] = [
        .cardOpened, .cardRedeemed, .redemptionReversed, .cardDiscarded, .cardExpired, .waitingCardTaken,
    ]
    static let types = Array(Set(ownTypes + shopTypes + actTypes + holdingTypes + [.noticePosted, .sessionEnded]))

    /// Loads an account's interest as of a position, in pages between which other tasks can run.
    ///
    /// - Parameters:
    ///   - places: the model of notices at any position; only later events of cards are read.
    ///   - start: ranges that end before it are dropped.
    ///   - counting: called with the number of each page's events.
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

    /// Whether an event discards a card that was redeemed or expired before, and so was not held any more.
    static func isSpent(_ fact: Fact, in log: some EventSource) throws -> Bool {
        guard case .cardDiscarded(let event) = fact.event else { return false }
        let ends = QueryItem(types: [.cardRedeemed, .redemptionReversed, .cardExpired], tags: [Tag(kind: .card, value: event.card.value)])
        let before = Position(fact.position - 1)
        let last = try log.events(matching: .items([ends]), through: before, backwards: true, limit: 1).first
        return last.map { $0.event.type != .redemptionReversed } ?? false
    }

    /// Finds a page of events by the tag index, and selects those that the streams show. Also returns the number of all and the page's end.
    func read(_ log: EventLog, after: Position, through: Position, limit: Int) throws -> (facts: [Fact], count: Int, covered: Position) {
        var found: Set<Position> = []
        for query in Query.all(of: items) {
            // The first `limit` matches of all queries are among those of each query.
            found.formUnion(try log.positions(matching: query, after: after, through: through, backwards: false, limit: limit))
        }
        let page = found.sorted().prefix(limit)
        let facts = try page.compactMap { try log.event(at: $0) }.map { try LoyaltyCodec.decode($0) }
        return (facts.filter(wants), page.count, page.count < limit ? through : page.last ?? through)
    }

    private var items: [QueryItem] {
        [QueryItem(types: Self.ownTypes, tags: [Tag(kind: .account, value: account.value)])]
            + workplaces.keys.sorted().map { QueryItem(types: Self.shopTypes, tags: [Tag(kind: .shop, value: $0.value)]) }
            + ([NoticeAudience.all] + shops.keys.sorted().map { .shop($0) }).map {
                QueryItem(types: [.noticePosted], tags: [Tag(kind: .shop, value: $0.tagValue)])
            }
    }
}
