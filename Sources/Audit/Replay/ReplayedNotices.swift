internal import Loyalty
internal import LoyaltyCodec
internal import Projections
internal import ReadModels

/// The expected content of `Notices`, folded from the log in memory.
///
/// It is simpler than the model on purpose: notices are numbered and counted only at the end, and the holders of cards are read from
/// ``CardOrders``, which all models of the replay share.
struct ReplayedNotices: ReplayedModel {
    static var model: any Projection.Type { Notices.self }

    private(set) var notices: [PostedNotice] = []
    /// Accounts, each with the position of its registration, the oldest first.
    private(set) var members: [(account: UInt128, position: UInt64)] = []
    /// The position at which an account first read a notice, by account and notice.
    private(set) var reads = KeyMap<PairKey, UInt64>()
    /// The positions at which an account muted a shop and ended the mute, alternately, by account and shop.
    private(set) var mutings = KeyMap<PairKey, [UInt64]>()
    /// Openings and ends of cards, and the reversals of redemptions: the card's number, the position, whether an account holds the card
    /// afterwards, and whether it is one that took the card over.
    private(set) var holdings: [(card: UInt32, position: UInt64, isHeld: Bool, isTaken: Bool)] = []
    /// The numbers of the cards that accounts took over from waiting persons.
    private var taken: Set<UInt32> = []
    /// The numbers of cards that were redeemed or expired. A card is removed if it is discarded, or if its redemption is reversed.
    private(set) var spent: Set<UInt32> = []
    private var known: Set<NoticeID> = []

    mutating func apply(_ batch: borrowing ReplayBatch) throws(AuditError) {
        for event in batch.events {
            switch event.kind {
            case .registered: members.append((event.id, event.position))
            case .opened: hold(event, true)
            case .discarded: discard(event)
            case .decoded:
                try apply(batch.facts[event.place])
                apply(batch.facts[event.place], to: event)
            case .stamped, .issued: break
            }
        }
    }

    private mutating func apply(_ fact: Fact) throws(AuditError) {
        switch fact.event {
        case .accountRegistered(let event): members.append((event.account.value, fact.position))
        case .noticePosted(let event): try post(PostedNotice(event, of: fact))
        case .cardReminded(let event):
            let isMuted = mutings[PairKey(event.holder.value, event.shop.value)].map { $0.count % 2 == 1 } ?? false
            if !isMuted, let notice = PostedNotice(of: fact) { try post(notice) }
        case .noticeRead(let event): reads.update(PairKey(event.account.value, event.notice.value), default: fact.position) { _ in }
        case .shopMuted(let event): turn(event.account, event.shop, at: fact.position, from: 0)
        case .shopUnmuted(let event): turn(event.account, event.shop, at: fact.position, from: 1)
        default: break
        }
    }

    private mutating func apply(_ fact: Fact, to event: ReplayedEvent) {
        switch fact.event {
        case .cardOpened: hold(event, true)
        case .cardDiscarded: discard(event)
        case .cardRedeemed, .cardExpired: end(event)
        case .redemptionReversed:
            spent.remove(event.card)
            hold(event, true)
        case .waitingCardTaken(let taking) where taking.from != nil:
            hold(event, false)
            taken.insert(event.card)
            if taking.stamps > 0 { hold(event, true) }
        default: break
        }
    }

    private mutating func hold(_ event: ReplayedEvent, _ isHeld: Bool) {
        holdings.append((event.card, event.position, isHeld, !taken.isEmpty && taken.contains(event.card)))
    }

    private mutating func end(_ event: ReplayedEvent) {
        hold(event, false)
        spent.insert(event.card)
    }

    private mutating func discard(_ event: ReplayedEvent) {
        if spent.remove(event.card) == nil { hold(event, false) }
    }

    /// Adds a position at which an account mutes a shop (`parity` 0) or ends the mute (1). Does nothing if the shop is muted already, or if
    /// there is no mute to end.
    private mutating func turn(_ account: AccountID, _ shop: ShopID, at position: UInt64, from parity: Int) {
        mutings.update(PairKey(account.value, shop.value), default: []) { turns in
            if turns.count % 2 == parity { turns.append(position) }
        }
    }

    private mutating func post(_ notice: PostedNotice) throws(AuditError) {
        guard known.insert(notice.id).inserted else {
            throw .refused("notice \(notice.id.text) is posted a second time.", at: notice.position)
        }
        notices.append(notice)
    }
}

/// The numbers of codes, stamps and rewards that a member of staff handled at one shop in one quarter of an hour. There may be several such
/// counts for the same member, shop and quarter of an hour. They are added when rows are made.
struct MemberCount: Sendable {
    let quarter: UInt64
    /// The number that the replay gave to the member of staff.
    let member: UInt32
    var codes: Int32 = 0
    var stamps: Int32 = 0
    var redeemed: Int32 = 0
    var reversed: Int32 = 0
    var milestones: Int32 = 0
    var milestonesReversed: Int32 = 0

    mutating func add(_ other: MemberCount) {
        codes &+= other.codes
        stamps &+= other.stamps
        redeemed &+= other.redeemed
        reversed &+= other.reversed
        milestones &+= other.milestones
        milestonesReversed &+= other.milestonesReversed
    }
}

/// A member of staff at one shop.
struct CountedMember: Sendable {
    let account: UInt128
    /// The number that the replay gave to the shop.
    let shop: UInt32
    /// The index of the member's newest count in the list of counts.
    var newest: UInt32
    /// The quarter of an hour of the member's newest count, encoded as in a row's key.
    var quarter: UInt64
}
