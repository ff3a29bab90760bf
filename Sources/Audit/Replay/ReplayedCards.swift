internal import Loyalty
internal import Projections
internal import ReadModels

/// The expected content of `CardProgress`, folded from the log in memory. Histories are one list in the order of events, grouped by card at
/// the end.
struct ReplayedCards: ReplayedModel {
    static var model: any Projection.Type { CardProgress.self }

    private(set) var progress: [FoldedProgress] = []
    private(set) var rewards: [TypedText] = []
    /// By card number, for cards with terms.
    private(set) var terms: [UInt32: CardTerms] = [:]
    private(set) var history: [FoldedEntry] = []
    private(set) var redemptions: [(card: UInt32, id: UInt128)] = []
    /// Stored so that the compiler keeps the reads that fill the cache.
    private var seen: Int32 = 0

    /// - Parameter capacity: the expected number of entries. Unused reserved memory costs nothing.
    init(capacity: Int) { history.reserveCapacity(capacity) }

    mutating func apply(_ batch: borrowing ReplayBatch) throws(AuditError) {
        for event in batch.events where event.card < progress.count { seen &+= progress[Int(event.card)].stamps }
        for event in batch.events {
            switch event.kind {
            case .stamped: stamp(event, 1)
            case .opened: open(event, batch.rewards[event.place])
            case .discarded: record(.discarded, event, .discarded)
            case .decoded: apply(batch.facts[event.place], event)
            case .issued, .registered: break
            }
        }
    }

    private mutating func apply(_ fact: borrowing Fact, _ event: ReplayedEvent) {
        switch fact.event {
        case .cardOpened(let opened):
            open(event, opened.reward)
            if opened.terms != .none { terms[event.card] = opened.terms }
        case .cardStamped(let stamped): stamp(event, stamped.stamps)
        case .cardDiscarded: record(.discarded, event, .discarded)
        case .cardExpired: record(.expired, event, .expired)
        case .cardReminded: record(.reminded, event, progress[Int(event.card)].status)
        case .cardRedeemed: record(.redeemed, event, .redeemed)
        case .redemptionReversed: record(.reversed, event, .full)
        case .redemptionRequested(let requested):
            redemptions.append((event.card, requested.redemption.value))
            record(.redemptionRequested, event, progress[Int(event.card)].status)
        case .milestoneRequested(let requested):
            redemptions.append((event.card, requested.redemption.value))
            write(.milestoneRequested, event, stamps: requested.milestone)
        case .milestoneRedeemed(let redeemed): write(.milestoneRedeemed, event, stamps: redeemed.milestone)
        case .milestoneReversed(let reversed): write(.milestoneReversed, event, stamps: reversed.milestone)
        case .cardAdjusted(let adjusted): adjust(event, by: adjusted.stamps)
        case .stampReversed(let reversed): takeBack(event, reversed.stamps)
        case .waitingCardTaken(let taken): takeOver(event, leaving: taken.stamps)
        default: break
        }
    }

    private mutating func open(_ event: ReplayedEvent, _ reward: TypedText) {
        var card = FoldedProgress(goal: event.amount)
        // A coupon is full at once.
        if event.amount == 0 { card.status = .full }
        progress.append(card)
        rewards.append(reward)
        write(.opened, event, stamps: 0)
    }

    @inline(__always)
    private mutating func stamp(_ event: ReplayedEvent, _ stamps: Int) {
        let card = Int(event.card)
        progress[card].stamps += Int32(clamping: stamps)
        progress[card].status = progress[card].status.stamped(to: Int(progress[card].stamps), goal: Int(progress[card].goal))
        write(.stamped, event, stamps: stamps)
    }

    private mutating func adjust(_ event: ReplayedEvent, by change: Int) {
        let card = Int(event.card)
        progress[card].stamps += Int32(clamping: change)
        progress[card].status = progress[card].stamps >= progress[card].goal ? .full : .collecting
        write(.adjusted, event, stamps: change)
    }

    /// Applies the taking of a waiting card, or the filling of the account's own card with its stamps.
    private mutating func takeOver(_ event: ReplayedEvent, leaving stamps: Int) {
        let card = Int(event.card)
        let change = stamps - Int(progress[card].stamps)
        progress[card].stamps = Int32(clamping: stamps)
        if progress[card].status == .collecting || progress[card].status == .full {
            progress[card].status = stamps == 0 ? .discarded : stamps < progress[card].goal ? .collecting : .full
        }
        write(.taken, event, stamps: change)
    }

    private mutating func takeBack(_ event: ReplayedEvent, _ taken: Int) {
        let card = Int(event.card)
        progress[card].stamps -= Int32(clamping: taken)
        if progress[card].status == .full { progress[card].status = .collecting }
        write(.stampReversed, event, stamps: -taken)
    }

    private mutating func record(_ kind: CardEntry.Kind, _ event: ReplayedEvent, _ status: CardStatus) {
        progress[Int(event.card)].status = status
        write(kind, event, stamps: 0)
    }

    @inline(__always)
    private mutating func write(_ kind: CardEntry.Kind, _ event: ReplayedEvent, stamps: Int) {
        progress[Int(event.card)].entries += 1
        history.append(
            FoldedEntry(position: event.position, time: event.time, card: event.card, kind: kind, stamps: Int8(clamping: stamps)))
    }
}

struct FoldedProgress: Sendable {
    let goal: Int32
    var stamps: Int32 = 0
    /// Lines of the card's history.
    var entries: UInt32 = 0
    var status = CardStatus.collecting
}

/// A line of one card's history.
struct FoldedEntry: Sendable {
    let position: UInt64
    /// Microseconds since 1970.
    let time: Int64
    let card: UInt32
    let kind: CardEntry.Kind
    /// Negative if stamps were taken away; or the milestone.
    let stamps: Int8

    var entry: CardEntry {
        let at = Instant(microseconds: time)
        if kind.isOfMilestone { return CardEntry(at: at, kind: kind, stamps: 0, position: position, milestone: Int(stamps)) }
        return CardEntry(at: at, kind: kind, stamps: Int(stamps), position: position)
    }
}
