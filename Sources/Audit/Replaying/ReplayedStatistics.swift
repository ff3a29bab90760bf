internal import EventLog
internal import Loyalty
internal import LoyaltyCodec
internal import ReadModels

/// What happened at each shop in memory, folded from the log: what `Statistics` must hold.
///
/// Shops, members and cards have numbers; what happened is a list in the order of the log, in which each card and member knows its
/// newest entry. So an event costs a look-up or two and no entry is ever looked for; rows are sorted and added up at the end.
struct ReplayedStatistics: ReplayedModel {
    static var model: any Projection.Type { Statistics.self }

    private(set) var shops = NumberedIDs()
    private(set) var cards: [CountedCard] = []
    private(set) var members: [CountedMember] = []
    private(set) var cardEntries: [CardEntry] = []
    private(set) var memberEntries: [MemberEntry] = []
    private(set) var codes = KeyMap<UInt128, CountedCode>()
    private var cardIndex: RowIndex
    private var accounts = NumberedIDs()
    /// By number of the account and of the shop.
    private var memberIndex = RowIndex()

    /// - Parameter capacity: cards expected; more only cost time.
    init(capacity: Int) {
        cardIndex = RowIndex(capacity: capacity)
        cards.reserveCapacity(capacity)
    }

    mutating func applyUndecoded(_ record: borrowing Record, at position: Position) -> Bool {
        let quarter = Quarter(of: Instant(microseconds: record.time.microseconds)).key
        if let stamp = SingleStamp(record) {
            guard let card = card(stamp.card, of: stamp.holder, at: stamp.shop) else { return false }
            return self.stamp(card, 1, by: stamp.code, in: quarter)
        }
        guard let code = IssuedCode(record) else { return false }
        issue(code.code, code.stamps, by: member(record.actor, at: code.shop), in: quarter)
        return true
    }

    mutating func apply(_ fact: Fact) throws(AuditError) {
        let quarter = Quarter(of: fact.time).key
        switch fact.event {
        case .codeIssued(let event):
            issue(event.code.value, event.stamps, by: member(fact.actor.value, at: event.shop.value), in: quarter)
        case .codeDestroyed(let event): codes[event.code.value] = nil
        case .cardOpened(let event): try open(event, fact, quarter)
        case .cardStamped(let event):
            let card = try card(event.card, of: event.holder, at: event.shop, fact)
            guard stamp(card, event.stamps, by: event.code.value, in: quarter) else {
                throw Self.refused("code \(event.code.text) was shown at another shop.", at: fact.position)
            }
        case .cardDiscarded(let event): cards[try self.card(event.card, fact)].room = 0
        case .cardAdjusted(let event):
            let card = try self.card(event.card, fact)
            let left = Int(cards[card].room)
            cards[card].room = Int32(clamping: max(0, left - event.stamps))
            if left > 0, left <= event.stamps { add(CardEntry(quarter: quarter, card: UInt32(card), filled: 1)) }
        case .cardRedeemed(let event): try redeem(event, fact, quarter)
        case .redemptionReversed(let event): try reverse(event, fact, quarter)
        default: break
        }
    }

    private mutating func issue(_ code: UInt128, _ stamps: Int, by member: Int, in quarter: UInt64) {
        codes[code] = CountedCode(member: UInt32(member), stamps: Int32(clamping: stamps))
        add(MemberEntry(quarter: quarter, member: UInt32(member), codes: 1))
    }

    private mutating func open(_ event: CardOpened, _ fact: Fact, _ quarter: UInt64) throws(AuditError) {
        guard cardIndex.place(of: event.card.value) == nil else {
            throw Self.refused("card \(event.card.text) is opened a second time.", at: fact.position)
        }
        let number = cardIndex.insert(event.card.value)
        cards.append(
            CountedCard(
                id: event.card.value, holder: event.holder.value, quarter: quarter, first: quarter,
                shop: UInt32(shops.number(event.shop.value)), newest: UInt32(cardEntries.count), room: Int32(clamping: event.goal)))
        cardEntries.append(CardEntry(quarter: quarter, card: UInt32(number), opened: 1))
    }

    /// - Returns: false, with nothing done, where the code was shown at another shop.
    @inline(__always)
    private mutating func stamp(_ card: Int, _ count: Int, by code: UInt128, in quarter: UInt64) -> Bool {
        let stamps = Int32(clamping: count)
        if var open = codes[code] {
            let member = Int(open.member)
            guard members[member].shop == cards[card].shop else { return false }
            add(MemberEntry(quarter: quarter, member: open.member, stamps: stamps))
            open.stamps -= stamps
            codes[code] = open.stamps > 0 ? open : nil
        }
        let room = cards[card].room
        let isFilled = room > 0 && room <= stamps
        cards[card].room = max(0, room - stamps)
        add(CardEntry(quarter: quarter, card: UInt32(card), stamps: stamps, filled: isFilled ? 1 : 0))
        return true
    }

    private mutating func redeem(_ event: CardRedeemed, _ fact: Fact, _ quarter: UInt64) throws(AuditError) {
        let card = try card(event.card, of: event.holder, at: event.shop, fact)
        add(CardEntry(quarter: quarter, card: UInt32(card), redeemed: 1))
        let member = member(fact.actor.value, at: event.shop.value)
        add(MemberEntry(quarter: quarter, member: UInt32(member), redeemed: 1))
    }

    private mutating func reverse(_ event: RedemptionReversed, _ fact: Fact, _ quarter: UInt64) throws(AuditError) {
        let card = try card(event.card, of: event.holder, at: event.shop, fact)
        add(CardEntry(quarter: quarter, card: UInt32(card), reversed: 1))
        let member = member(fact.actor.value, at: event.shop.value)
        add(MemberEntry(quarter: quarter, member: UInt32(member), reversed: 1))
    }

    @inline(__always)
    private mutating func add(_ entry: CardEntry) {
        let card = Int(entry.card)
        // Also where the quarter has its entry: of what was no visit.
        if entry.isVisit { cards[card].first = min(cards[card].first, entry.quarter) }
        if cards[card].quarter == entry.quarter { return cardEntries[Int(cards[card].newest)].add(entry) }
        cards[card].quarter = entry.quarter
        cards[card].newest = UInt32(cardEntries.count)
        cardEntries.append(entry)
    }

    @inline(__always)
    private mutating func add(_ entry: MemberEntry) {
        let member = Int(entry.member)
        if members[member].quarter == entry.quarter, Int(members[member].newest) < memberEntries.count {
            return memberEntries[Int(members[member].newest)].add(entry)
        }
        members[member].quarter = entry.quarter
        members[member].newest = UInt32(memberEntries.count)
        memberEntries.append(entry)
    }

    /// The number of a member of staff at a shop, who is new here perhaps.
    @inline(__always)
    private mutating func member(_ account: UInt128, at shop: UInt128) -> Int {
        let place = shops.number(shop)
        let key = UInt128(accounts.number(account)) << 64 | UInt128(place)
        if let known = memberIndex.place(of: key) { return known }
        // The first entry follows at once; until then its quarter is none that an entry can have.
        members.append(CountedMember(account: account, shop: UInt32(place), newest: 0, quarter: .max))
        return memberIndex.insert(key)
    }

    /// The number of a card; nil where it is not this holder's, or of another shop.
    @inline(__always)
    private func card(_ id: UInt128, of holder: UInt128, at shop: UInt128) -> Int? {
        guard let card = cardIndex.place(of: id), cards[card].holder == holder else { return nil }
        return shops.ids[Int(cards[card].shop)] == shop ? card : nil
    }

    private func card(_ id: CardID, of holder: AccountID, at shop: ShopID, _ fact: Fact) throws(AuditError) -> Int {
        if let card = card(id.value, of: holder.value, at: shop.value) { return card }
        throw Self.refused("card \(id.text) was never opened, or not by this account at this shop.", at: fact.position)
    }

    private func card(_ id: CardID, _ fact: Fact) throws(AuditError) -> Int {
        if let card = cardIndex.place(of: id.value) { return card }
        throw Self.refused("card \(id.text) was never opened.", at: fact.position)
    }
}
