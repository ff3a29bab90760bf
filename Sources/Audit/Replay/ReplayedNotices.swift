internal import Loyalty
internal import LoyaltyCodec
internal import Projections
internal import ReadModels

/// The expected content of `Notices`, folded from the log in memory. It is simpler than the model on purpose: it counts only at the end.
struct ReplayedNotices: ReplayedModel {
    static var model: any Projection.Type { Notices.self }

    private(set) var notices: [PostedNotice] = []
    /// With the position of registration, the oldest first.
    private(set) var members: [(account: UInt128, position: UInt64)] = []
    /// By account and notice, the position of the first reading.
    private(set) var reads = KeyMap<PairKey, UInt64>()
    /// By account and shop, the positions at which mutes began and ended, alternately.
    private(set) var mutings = KeyMap<PairKey, [UInt64]>()
    /// Changes of whether an account holds a card, with its number and position.
    private(set) var holdings: [(card: UInt32, position: UInt64, isHeld: Bool, isTaken: Bool)] = []
    private var taken: Set<UInt32> = []
    /// Redeemed or expired cards, until they are discarded or the redemption is reversed.
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
        case .searchAlerted: if let notice = PostedNotice(of: fact) { try post(notice) }
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

    private mutating func discard(_ event: ReplayedEvent) { if spent.remove(event.card) == nil { hold(event, false) } }

    /// Adds the begin (`parity` 0) or end (1) of a mute, if it changes anything.
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
