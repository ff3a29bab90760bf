internal import Loyalty
internal import LoyaltyCodec
internal import Projections
internal import ReadModels

/// The expected content of `Statistics`, folded from the log in memory. Counts are lists in the order of events, sorted and added at the
/// end.
struct ReplayedStatistics: ReplayedModel {
    static var model: any Projection.Type { Statistics.self }

    private(set) var cards: [CountedCard] = []
    private(set) var members: [CountedMember] = []
    private(set) var cardCounts: [QuarterCount] = []
    private(set) var memberCounts: [QuarterCount] = []
    /// Changes at other shops than the cards' own.
    private(set) var guests: [GuestCount.Key: QuarterCount] = [:]
    /// Codes that can still give stamps.
    private(set) var codes = KeyMap<UInt128, (member: UInt32, stamps: Int32)>()
    /// By account and shop, the indices in ``members``.
    private var memberIndex = PlaceIndex()
    /// First visits of waiting persons on cards that accounts took over, as in ``CountedCard/first``.
    private(set) var formerFirsts: [UInt32: UInt64] = [:]
    /// Stored so that the compiler keeps the reads that fill the cache.
    private var seen: UInt64 = 0

    /// - Parameter capacity: the expected number of counts of each kind. Unused reserved memory costs nothing.
    init(capacity: Int) {
        cardCounts.reserveCapacity(capacity)
        memberCounts.reserveCapacity(capacity)
    }

    mutating func apply(_ batch: borrowing ReplayBatch) throws(AuditError) {
        glance(at: batch)
        for event in batch.events {
            switch event.kind {
            case .stamped: try stamp(event, worth: 1, event.quarter)
            case .issued: issue(event.id, event.amount, by: member(event.actor, at: event.shop), in: event.quarter)
            case .opened: open(event, event.quarter)
            case .discarded: cards[Int(event.card)].room = 0
            case .decoded: try apply(batch.facts[event.place], event, event.quarter)
            case .registered: break
            }
        }
    }

    /// Brings the batch's cards and issuers into the cache. A card may lie in two cache lines.
    private mutating func glance(at batch: borrowing ReplayBatch) {
        var sum: UInt64 = 0
        for event in batch.events {
            if event.card < cards.count {
                sum &+= cards[Int(event.card)].quarter &+ UInt64(cards[Int(event.card)].newest)
            } else if event.kind == .issued {
                sum &+= memberIndex.glance(Self.hash(event.actor, at: event.shop))
            }
        }
        for event in batch.events where event.kind == .issued {
            let member = PlaceIndex.place(memberIndex.glance(Self.hash(event.actor, at: event.shop)))
            if member >= 0 { sum &+= members[member].quarter }
        }
        seen &+= sum
    }

    @inline(__always)
    private static func hash(_ account: UInt128, at shop: UInt32) -> UInt32 { PlaceIndex.hash(account ^ UInt128(shop)) }

    private mutating func apply(_ fact: borrowing Fact, _ event: ReplayedEvent, _ quarter: UInt64) throws(AuditError) {
        let actor = fact.actor.value
        switch fact.event {
        case .codeIssued(let issued):
            issue(issued.code.value, Int32(clamping: issued.stamps), by: member(actor, at: event.shop), in: quarter)
        case .codeDestroyed(let destroyed): codes[destroyed.code.value] = nil
        case .cardOpened: open(event, quarter)
        case .cardStamped(let stamped):
            var event = event
            (event.id, event.amount) = (stamped.code.value, Int32(clamping: stamped.stamps))
            try stamp(event, worth: Int32(clamping: stamped.worth), quarter)
        case .cardDiscarded, .cardExpired: cards[Int(event.card)].room = 0
        case .cardAdjusted(let adjusted): adjust(event.card, by: adjusted.stamps, quarter)
        case .stampReversed(let reversed): adjust(event.card, by: -reversed.stamps, quarter)
        case .waitingCardTaken(let taken): takeOver(taken, event.card, quarter)
        case .cardRedeemed: add(QuarterCount(quarter: quarter, number: event.card, redeemed: 1), event, by: actor)
        case .redemptionReversed: add(QuarterCount(quarter: quarter, number: event.card, reversed: 1), event, by: actor)
        case .milestoneRedeemed: add(QuarterCount(quarter: quarter, number: event.card, milestones: 1), event, by: actor)
        case .milestoneReversed: add(QuarterCount(quarter: quarter, number: event.card, milestonesReversed: 1), event, by: actor)
        default: break
        }
    }

    private mutating func issue(_ code: UInt128, _ stamps: Int32, by member: UInt32, in quarter: UInt64) {
        codes[code] = (member, stamps)
        add(toMember: QuarterCount(quarter: quarter, number: member, codes: 1))
    }

    private mutating func open(_ event: ReplayedEvent, _ quarter: UInt64) {
        let count = QuarterCount(quarter: quarter, number: event.card, opened: 1, filled: event.amount == 0 ? 1 : 0)
        guard event.guest == ReplayedEvent.none else {
            cards.append(CountedCard(quarter: .max, first: .max, newest: 0, room: event.amount))
            return add(count, event)
        }
        cards.append(CountedCard(quarter: quarter, first: quarter, newest: UInt32(cardCounts.count), room: event.amount))
        cardCounts.append(count)
    }

    @inline(__always)
    private mutating func stamp(_ event: ReplayedEvent, worth: Int32, _ quarter: UInt64) throws(AuditError) {
        let (card, stamps) = (Int(event.card), event.amount)
        if var open = codes[event.id] {
            guard members[Int(open.member)].shop == event.at else {
                throw .refused("code \(CodeID(event.id).text) was shown at another shop.", at: event.position)
            }
            add(toMember: QuarterCount(quarter: quarter, number: open.member, stamps: stamps))
            open.stamps -= worth
            codes[event.id] = open.stamps > 0 ? open : nil
        }
        let room = cards[card].room
        let isFilled = room > 0 && room <= stamps
        cards[card].room = max(0, room - stamps)
        add(QuarterCount(quarter: quarter, number: event.card, stamps: stamps, filled: isFilled ? 1 : 0), event)
    }

    private func isTaken(_ card: UInt32) -> Bool { !formerFirsts.isEmpty && formerFirsts[card] != nil }

    /// Later counts are the account's, even in the same quarter of an hour.
    private mutating func takeOver(_ event: WaitingCardTaken, _ card: UInt32, _ quarter: UInt64) {
        let place = Int(card)
        if event.from != nil {
            formerFirsts[card] = cards[place].first
            (cards[place].first, cards[place].quarter) = (.max, .max)
        }
        let room = cards[place].room
        cards[place].room = event.stamps == 0 ? 0 : Int32(clamping: max(0, event.goal - event.stamps))
        if room > 0, event.stamps >= event.goal { add(toCard: QuarterCount(quarter: quarter, number: card, filled: 1)) }
    }

    private mutating func adjust(_ card: UInt32, by change: Int, _ quarter: UInt64) {
        let left = Int(cards[Int(card)].room)
        cards[Int(card)].room = Int32(clamping: max(0, left - change))
        if left > 0, left <= change { add(toCard: QuarterCount(quarter: quarter, number: card, filled: 1)) }
    }

    /// Counts an act of a shop's staff for the card and for the member.
    private mutating func add(_ count: QuarterCount, _ event: ReplayedEvent, by actor: UInt128) {
        add(count, event)
        var own = count
        own.number = member(actor, at: event.at)
        add(toMember: own)
    }

    /// A count at another shop than the card's own goes to ``guests``.
    @inline(__always)
    private mutating func add(_ count: QuarterCount, _ event: ReplayedEvent) {
        guard event.guest != ReplayedEvent.none else { return add(toCard: count) }
        let guest = GuestCount.Key(shop: event.guest, card: count.number, quarter: count.quarter, isTaken: isTaken(count.number))
        guests[guest, default: QuarterCount(quarter: count.quarter, number: count.number)].add(count)
    }

    @inline(__always)
    private mutating func add(toCard new: QuarterCount) {
        var count = new
        count.isTaken = isTaken(count.number)
        let card = Int(count.number)
        // An earlier count for this quarter of an hour may include no visit.
        if count.isVisit { cards[card].first = min(cards[card].first, count.quarter) }
        if cards[card].quarter == count.quarter { return cardCounts[Int(cards[card].newest)].add(count) }
        (cards[card].quarter, cards[card].newest) = (count.quarter, UInt32(cardCounts.count))
        cardCounts.append(count)
    }

    @inline(__always)
    private mutating func add(toMember count: QuarterCount) {
        let member = Int(count.number)
        if members[member].quarter == count.quarter, Int(members[member].newest) < memberCounts.count {
            return memberCounts[Int(members[member].newest)].add(count)
        }
        (members[member].quarter, members[member].newest) = (count.quarter, UInt32(memberCounts.count))
        memberCounts.append(count)
    }

    /// A new member gets the next number.
    @inline(__always)
    private mutating func member(_ account: UInt128, at shop: UInt32) -> UInt32 {
        let hash = Self.hash(account, at: shop)
        if let known = memberIndex.place(of: hash, where: { members[$0].account == account && members[$0].shop == shop }) {
            return UInt32(known)
        }
        // The caller sets the first count at once; until then, no event can have this quarter.
        members.append(CountedMember(account: account, shop: shop, newest: 0, quarter: .max))
        return UInt32(memberIndex.insert(hash))
    }
}

/// The changes of a card, or of a member of a shop's staff, in a quarter of an hour. Counts of the same row are added at the end.
struct QuarterCount: Sendable {
    let quarter: UInt64
    /// The number of the card or the member. After sorting, a card's index among all cards ordered by shop.
    var number: UInt32
    /// Whether an account had taken the card over before.
    var isTaken = false
    var codes: Int32 = 0
    var stamps: Int32 = 0
    var opened: Int32 = 0
    var filled: Int32 = 0
    var redeemed: Int32 = 0
    var reversed: Int32 = 0
    var milestones: Int32 = 0
    var milestonesReversed: Int32 = 0

    /// As ``CardActivity/isVisit`` defines it.
    var isVisit: Bool { stamps > 0 || opened > 0 || redeemed > 0 || milestones > 0 }

    mutating func add(_ other: QuarterCount) {
        isTaken = isTaken && other.isTaken
        codes &+= other.codes
        stamps &+= other.stamps
        opened &+= other.opened
        filled &+= other.filled
        redeemed &+= other.redeemed
        reversed &+= other.reversed
        milestones &+= other.milestones
        milestonesReversed &+= other.milestonesReversed
    }

    func activity(of holder: UInt128) -> CardActivity {
        CardActivity(
            of: AccountID(holder), stamps: Int(stamps), opened: Int(opened), filled: Int(filled), redeemed: Int(redeemed),
            reversed: Int(reversed), milestones: milestoneActivity)
    }

    var staffActivity: StaffActivity {
        StaffActivity(
            codes: Int(codes), stamps: Int(stamps), redeemed: Int(redeemed), reversed: Int(reversed), milestones: milestoneActivity)
    }

    private var milestoneActivity: MilestoneActivity {
        MilestoneActivity(redeemed: Int(milestones), reversed: Int(milestonesReversed))
    }
}

/// A card's state for statistics, in 24 bytes.
struct CountedCard: Sendable {
    /// The newest count's quarter, as in a row's key; `.max` before the first count.
    var quarter: UInt64
    /// The first visit's quarter at the card's own shop; `.max` if there was none.
    var first: UInt64
    /// The index of the newest count.
    var newest: UInt32
    /// The stamps that the card still needs; 0 if it no longer collects.
    var room: Int32
}

struct CountedMember: Sendable {
    let account: UInt128
    let shop: UInt32
    /// The index of the newest count.
    var newest: UInt32
    /// The newest count's quarter, as in a row's key.
    var quarter: UInt64
}
