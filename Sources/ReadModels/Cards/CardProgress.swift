public import EventLog
public import LMDB
public import Loyalty
internal import LoyaltyCodec
public import Projections

/// The read model of cards with their history, and of each account's cards.
///
/// Reads are synchronous, take one snapshot each, and wait for no thread. Any thread may read.
public final class CardProgress: ReadModel {
    public static let name = "card-progress"
    public static let schemaVersion = 3
    public static let eventTypes: Set<EventType> = [
        .cardOpened, .cardStamped, .cardDiscarded, .cardAdjusted, .stampReversed, .redemptionRequested, .cardRedeemed, .redemptionReversed,
        .cardExpired, .cardReminded, .milestoneRequested, .milestoneRedeemed, .milestoneReversed, .waitingCardTaken,
    ]
    public static let tables = [cardTable, accountTable]
    public static let bytesPerChange = 320
    public static let isInSnapshots = true

    /// Card → ``CardRow``.
    static let cardTable = ModelTable("cards", key: [.card]) { CardRow.text($0) }
    /// Account and position of opening → card, 16 bytes.
    static let accountTable = ModelTable("accounts", key: [.account, .position], id: { CardID($0).text })

    public let store: ModelStore
    let cards, accounts: Table

    public init(_ store: ModelStore) throws(ReadModelError) {
        self.store = store
        (cards, accounts) = try (store.table(Self.cardTable), store.table(Self.accountTable))
    }
}

@available(*, noasync)
extension CardProgress {
    /// Creates an empty set of changes.
    public func makePending(cachedMax: Int) -> CardCache { CardCache(cachedMax: cachedMax) }

    /// The unwritten changes; see ``CardCache/count``.
    public func changes(in cache: borrowing CardCache) -> Int { cache.count }

    /// Applies the event to its card.
    public func apply(_ fact: Fact, to cache: inout CardCache, in transaction: inout WriteTransaction) throws(ReadModelError) {
        guard let id = fact.event.card else { return }
        if case .cardOpened = fact.event { return try open(fact, id, &cache, transaction) }
        let place = try place(of: id, &cache, transaction)
        var row: [UInt8] = []
        var card = try card(id, at: place, cache, transaction, &row)
        let (holder, opened) = (card.holder, card.opened)
        card.evolve(fact)
        if card.holder != holder, let opened {
            cache.left.append((holder, opened.rawValue))
            cache.opened.append((card.holder, opened.rawValue, id))
        }
        cache.set(card, at: place, &row)
    }

    /// Applies single stamps and new cards without decoding.
    public func applyUndecoded(
        _ record: borrowing Record, at position: Position, to cache: inout CardCache, in transaction: inout WriteTransaction
    ) throws(ReadModelError) -> Bool {
        if let stamp = SingleStamp(record) {
            let place = try place(of: CardID(stamp.card), &cache, transaction)
            cache.stamp(place, at: Instant(microseconds: record.time.microseconds), position: position.rawValue)
            return true
        }
        guard let card = OpenedCard(record) else { return false }
        try open(card.fact(of: record, at: position), CardID(card.card), &cache, transaction)
        return true
    }

    /// Writes the changes in key order, so that rows on the same page are written together.
    public func flush(_ cache: inout CardCache, in transaction: inout WriteTransaction) throws(ReadModelError) {
        if !cache.changed.isEmpty { try flushCards(cache, in: &transaction) }
        if !cache.opened.isEmpty {
            cache.opened.sort { ($0.holder, $0.position) < ($1.holder, $1.position) }
            var rows = try store.writer(accounts, in: &transaction)
            for entry in cache.opened { try rows.put(RowKey(entry.holder.value, position: entry.position), RowKey(entry.card.value).bytes) }
            for entry in cache.left { try rows.delete(RowKey(entry.holder.value, position: entry.position)) }
        }
        cache.flushed()
    }

    private func flushCards(_ cache: borrowing CardCache, in transaction: inout WriteTransaction) throws(ReadModelError) {
        let known = cache.cards
        var rows = try store.writer(cards, in: &transaction)
        var row: [UInt8] = []
        for place in RowOrder.places(cache.changed, by: { known[$0].id }) {
            let key = RowKey(known[Int(place)].id)
            var isRow: Bool?
            if known[Int(place)].row >= 0 {
                isRow = cache.row(at: Int(place), stored: Span(), into: &row)
            } else {
                isRow = try rows.value(key) { cache.row(at: Int(place), stored: $0, into: &row) }
            }
            guard isRow == true else { throw damaged(known[Int(place)].id) }
            try rows.put(key, row.span)
        }
    }

    private func open(
        _ fact: Fact, _ id: CardID, _ cache: inout CardCache, _ transaction: borrowing WriteTransaction
    ) throws(ReadModelError) {
        guard let card = Card(opening: fact) else { return }
        // The result must not depend on the cache, so the table is asked too.
        var isKnown = cache.index.place(of: id.value) != nil
        if !isKnown { isKnown = try store.has(cards, RowKey(id.value), in: transaction) }
        if isKnown { throw refused("card \(id.text) is opened a second time") }
        var row: [UInt8] = []
        cache.set(card, at: cache.insert(id.value), &row)
        cache.opened.append((card.holder, fact.position, id))
    }

    /// A card's place in the cache. Throws for a card that was never opened.
    private func place(of id: CardID, _ cache: inout CardCache, _ transaction: borrowing WriteTransaction) throws(ReadModelError) -> Int {
        if let place = cache.index.place(of: id.value) { return place }
        guard try store.has(cards, RowKey(id.value), in: transaction) else { throw refused("card \(id.text) was never opened") }
        return cache.insert(id.value)
    }

    private func card(
        _ id: CardID, at place: Int, _ cache: borrowing CardCache, _ transaction: borrowing WriteTransaction, _ row: inout [UInt8]
    ) throws(ReadModelError) -> Card {
        var isRow: Bool?
        if cache.cards[place].row >= 0 {
            isRow = cache.row(at: place, stored: Span(), into: &row)
        } else {
            isRow = try store.value(cards, RowKey(id.value), in: transaction) { cache.row(at: place, stored: $0, into: &row) }
        }
        guard isRow == true else { throw damaged(id.value) }
        return try decode(row.span, id)
    }

    private func damaged(_ id: UInt128) -> ReadModelError {
        store.damaged("the row of card \(CardID(id).text) is missing or does not decode")
    }

    private func refused(_ detail: String) -> ReadModelError { ReadModelError(.eventRefused, model: Self.name, detail) }
}

extension CardProgress {
    /// One card as of the model's position; nil if it does not exist.
    public func card(_ id: CardID) throws(ReadModelError) -> Card? {
        try store.reading { (snapshot) throws(ReadModelError) in try card(id, in: snapshot) }
    }

    /// The card, with the log position that the snapshot includes; see ``ReadModels/position(of:)``.
    public func positioned(_ id: CardID) throws(ReadModelError) -> (card: Card?, position: Position) {
        try store.reading { (snapshot) throws(ReadModelError) in
            (try card(id, in: snapshot), try store.mark(in: snapshot).position)
        }
    }

    /// An account's cards, the newest opened first. The cursor is a log position, so each card is on one page only.
    ///
    /// - Parameters:
    ///   - now: the moment whose statuses are compared with `statuses`; nil for the recorded ones, which the returned cards have.
    ///   - before: ``CardPage/next`` of the previous page.
    ///   - limit: clamped to 1 to ``ReadModelLimits/pageItems``.
    public func cards(
        of account: AccountID, statuses: Set<CardStatus> = Set(CardStatus.allCases), at now: Instant? = nil, before: Position? = nil,
        limit: Int = 20
    ) throws(ReadModelError) -> CardPage {
        let limit = min(max(limit, 1), ReadModelLimits.pageItems)
        return try store.reading { (snapshot) throws(ReadModelError) in
            var found: [Card] = []
            // One card more shows whether there is a next page.
            try store.descend(accounts, of: account.value, before: before?.rawValue, in: snapshot) {
                (_, value) throws(ReadModelError) in
                let id = CardID(try store.id(value, "an entry of account \(account.text)"))
                if let card = try card(id, statuses, at: now, in: snapshot) { found.append(card) }
                return found.count <= limit
            }
            return CardPage(found, limit: limit, position: try store.mark(in: snapshot).position)
        }
    }

    /// The campaigns and shops of an account's nearly full cards, as in a shop's list of customers, among its newest
    /// ``ReadModelLimits/nearlyFullCardsRead`` cards.
    public func nearlyFull(
        of account: AccountID, at now: Instant
    ) throws(ReadModelError) -> (campaigns: [CampaignID], shops: [ShopID]) {
        try store.reading { (snapshot) throws(ReadModelError) in
            var (campaigns, shops, read): ([CampaignID], Set<ShopID>, Int) = ([], [], 0)
            try store.descend(accounts, of: account.value, before: nil, in: snapshot) { (_, value) throws(ReadModelError) in
                let id = CardID(try store.id(value, "an entry of account \(account.text)"))
                if let card = try card(id, [.collecting], at: now, in: snapshot), card.isNearlyFull {
                    campaigns.append(card.campaign)
                    shops.insert(card.shop)
                }
                read += 1
                return read < ReadModelLimits.nearlyFullCardsRead
            }
            return (campaigns, Array(shops))
        }
    }

    private func card(_ id: CardID, in snapshot: borrowing Snapshot) throws(ReadModelError) -> Card? {
        try store.value(cards, RowKey(id.value), in: snapshot) { (row) throws(ReadModelError) in try decode(row, id) }
    }

    /// A card that the table of accounts names; nil if its status was not requested. A missing row is damage.
    private func card(
        _ id: CardID, _ statuses: Set<CardStatus>, at now: Instant?, in snapshot: borrowing Snapshot
    ) throws(ReadModelError) -> Card? {
        let card: Card?? = try store.value(cards, RowKey(id.value), in: snapshot) { (row) throws(ReadModelError) in
            guard let status = CardRow.status(of: row, at: now) else { return try decode(row, id) }
            return statuses.contains(status) ? try decode(row, id) : nil
        }
        guard let card else { throw store.damaged("the row of card \(id.text) is missing") }
        return card
    }

    func decode(_ row: Span<UInt8>, _ id: CardID) throws(ReadModelError) -> Card {
        guard let card = CardRow.decode(row, id: id) else { throw store.damaged("the row of card \(id.text) does not decode") }
        return card
    }
}

/// Some of an account's cards, the newest opened first.
public struct CardPage: Hashable, Sendable {
    public let cards: [Card]
    /// Nil on the last page.
    public let next: Position?
    /// The log position that the snapshot includes.
    public let position: Position

    init(_ found: [Card], limit: Int, position: Position) {
        self.position = position
        cards = Array(found.prefix(limit))
        next = found.count > limit ? cards.last?.opened : nil
    }
}

extension Card {
    /// As in ``CustomerCard``.
    fileprivate var isNearlyFull: Bool { stamps > 0 && goal - stamps <= CustomerRules.nearlyFullStamps }

    var opened: Position? { history.first.map { Position($0.position) } }
}
