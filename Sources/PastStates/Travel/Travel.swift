public import Audit
public import EventLog
public import Loyalty
internal import LoyaltyCodec
internal import Projections
internal import ReadModels

/// Answers queries about the past from the log, without keys, beside a running server; for one thread only.
///
/// The tag index and the snapshots only make queries faster. Without them, the log is scanned.
public final class Travel {
    /// Above this number of scanned records, snapshots are recommended.
    private static let manyScanned: UInt64 = 1_000_000

    private let log: EventLog
    private let shelf: SnapshotShelf?
    private let events: PastEvents
    private let report: (String) -> Void
    private var distrusted: Set<SnapshotName> = []
    private var opened: [SnapshotName: PastSnapshot] = [:]
    private var scannedForTime: UInt64 = 0

    /// - Parameter report: called with the reason for each snapshot that is skipped.
    public init(
        in folder: AuditedFolder, log: EventLog, usingSnapshots: Bool = true, usingIndex: Bool = true,
        report: @escaping (String) -> Void = { _ in }
    ) {
        (self.log, self.report) = (log, report)
        shelf = usingSnapshots ? SnapshotShelf(of: folder, log: log) : nil
        let index = usingIndex ? StoredIndex.open(directory: DataFolder(folder.path).index, log: log) : nil
        events = PastEvents(log, index: index)
    }

    /// Whether so many records were scanned that snapshots are recommended.
    public var wouldGainFromSnapshots: Bool { scanned > Self.manyScanned }

    var scanned: UInt64 { events.scanned + scannedForTime }

    /// The moment of a position or a time, by the rules of ``ReplayBound``.
    ///
    /// - Throws: ``AuditError/Code/log``, ``AuditError/Code/damaged``.
    public func moment(_ bound: ReplayBound) throws(AuditError) -> Moment {
        do {
            var position = bound.through(log.head)
            if case .time(let time) = bound { position = try self.position(at: time) }
            var clock = Instant(microseconds: 0)
            let time = try log.withRecord(at: position) { (record) throws(EventLogError) in record.time.microseconds }
            if let time { clock = Instant(microseconds: time) }
            if case .time(let time) = bound { clock = Instant(microseconds: time.microseconds) }
            return Moment(position: position, clock: clock)
        } catch { throw AuditError(any: error) }
    }

    private func position(at time: Timestamp) throws -> Position {
        let start = snapshot(through: log.head)?.times.start(for: time) ?? .start
        var reached = start
        guard start < log.head else { return start }
        try log.scan(after: start) { (position, record) in
            scannedForTime += 1
            if ReplayBound.time(time).ends(before: record) { return false }
            reached = position
            return true
        }
        return reached
    }

    /// The state of a subject at a moment.
    ///
    /// - Throws: ``AuditError/Code/log``, ``AuditError/Code/damaged``, ``AuditError/Code/event``.
    public func answer(_ subject: PastSubject, at moment: Moment) throws(AuditError) -> PastAnswer {
        while true {
            let base = snapshot(through: moment.position)
            do {
                let rows = try rows(of: subject, at: moment, over: base)
                return PastAnswer(subject: subject.text, moment: moment, rows: rows, isTable: subject.isTable)
            } catch let fault as SnapshotFault {
                // The snapshot is damaged, so the loop tries again without it.
                guard let base else { throw AuditError(.model, "a snapshot \(fault.reason).", remedy: "Remove it.") }
                distrust(base.name, fault)
            } catch { throw AuditError(any: error) }
        }
    }

    /// Calls `body` with the events of a subject's tag between two moments, oldest first, without transfers of an account's shops.
    ///
    /// - Throws: ``AuditError/Code/log``, ``AuditError/Code/damaged``, ``AuditError/Code/event``.
    public func events(
        of subject: PastSubject, after: Moment, through: Moment, _ body: (_ text: String, _ json: String) -> Void
    ) throws(AuditError) {
        guard let (tag, types) = subject.events else { return }
        do {
            try events.forEach(tag, types, after: after.position, through: through.position) { fact in
                body(FactText.line(fact), FactText.json(fact))
            }
        } catch { throw AuditError(any: error) }
    }

    private func rows(of subject: PastSubject, at moment: Moment, over base: PastSnapshot?) throws -> [[PastField]] {
        switch subject {
        case .card(let id): return try card(id, at: moment, over: base).map { [$0.pastFields] } ?? []
        case .shop(let id): return try shop(id, at: moment, over: base).map { [$0] } ?? []
        case .account(let id):
            return try account(id, at: moment).map { [$0] } ?? []
        case .campaign(let id):
            var campaign = PastCampaign(id)
            try fold(subject, after: .start, moment) { campaign.apply($0) }
            return campaign.fields(at: moment.clock).map { [$0] } ?? []
        case .ratings(let shop):
            let ratings = try ratings(of: shop, at: moment, over: base)
            return ratings.sorted { $0.key < $1.key }.map { [.id("shop", $0.key)] + $0.value.fields }
        case .statistics(let id, let days):
            var statistics = try PastStatistics(over: base, of: id, days.period(at: moment.clock))
            let after = base?.position ?? .start
            var elsewhere = try elsewhere(of: id, after: after, moment)[...]
            try fold(subject, after: after, moment) { fact in
                while let next = elsewhere.first, next.position < fact.position { try statistics.followRoom(elsewhere.removeFirst()) }
                try statistics.apply(fact)
            }
            return try statistics.report().pastRows(days.zone)
        }
    }

    /// Events at the campaigns' other shops decide whether a later stamp here fills a card.
    private func elsewhere(of shop: ShopID, after: Position, _ moment: Moment) throws -> [Fact] {
        var (facts, campaigns) = ([Fact](), Set<CampaignID>())
        try events.forEach(Tag(.shop, shop.value), PastTypes.stamps, after: after, through: moment.position) { fact in
            if fact.event.home != nil, let campaign = fact.event.campaign { campaigns.insert(campaign) }
        }
        try events.forEach(Tag(.home, shop.value), PastTypes.room, after: after, through: moment.position) { facts.append($0) }
        for campaign in campaigns {
            try events.forEach(Tag(.campaign, campaign.value), PastTypes.room, after: after, through: moment.position) { fact in
                if fact.event.shop != shop { facts.append(fact) }
            }
        }
        return facts.sorted { $0.position < $1.position }
    }

    private func card(_ id: CardID, at moment: Moment, over base: PastSnapshot?) throws -> Card? {
        var card: Card?
        if let row = try base?.table(CardProgress.self, "cards").value(of: RowKey(id.value).array) {
            card = CardRow.decode(row.span, id: id)
            if card == nil { throw SnapshotFault.changed("a card's row") }
        }
        try fold(.card(id), after: base?.position ?? .start, moment) { fact in
            if card == nil { card = Card(opening: fact) } else { card?.evolve(fact) }
        }
        return card
    }

    /// Transfers of the account's shops have another tag, and are applied in the order of positions.
    private func account(_ id: AccountID, at moment: Moment) throws -> [PastField]? {
        var (account, given) = (PastAccount(id), [Fact]())
        try events.forEach(Tag(.formerOwner, id.value), [.shopTransferred], after: .start, through: moment.position) { given.append($0) }
        var left = given[...]
        try fold(.account(id), after: .start, moment) { fact in
            while let next = left.first, next.position < fact.position { account.apply(left.removeFirst()) }
            // The card's earlier events have the tag of the waiting person who had it.
            if case .waitingCardTaken(let event) = fact.event, event.from != nil {
                try fold(.card(event.card), after: .start, Moment(position: Position(fact.position - 1), clock: moment.clock)) {
                    account.inherit($0)
                }
            }
            account.apply(fact)
        }
        for fact in left { account.apply(fact) }
        return account.fields
    }

    private func shop(_ id: ShopID, at moment: Moment, over base: PastSnapshot?) throws -> [PastField]? {
        var shop = PastShop(id)
        try events.forEach(Tag(.shop, id.value), PastTypes.shop, after: .start, through: moment.position) { shop.apply($0) }
        guard shop.shop != nil else { return nil }
        let rating = try ratings(of: id, at: moment, over: base)[id] ?? .none
        return shop.fields(at: moment.clock, rating)
    }

    private func ratings(of shop: ShopID?, at moment: Moment, over base: PastSnapshot?) throws -> [ShopID: PastRating] {
        var ratings = try PastRatings(over: base, of: shop)
        let (after, tag) = (base?.position ?? .start, shop.map { Tag(.shop, $0.value) })
        try events.forEach(tag, PastTypes.ratings, after: after, through: moment.position) { try ratings.apply($0) }
        return ratings.ratings
    }

    private func fold(_ subject: PastSubject, after: Position, _ moment: Moment, _ body: (Fact) throws -> Void) throws {
        guard let (tag, types) = subject.events else { return }
        try events.forEach(tag, types, after: after, through: moment.position, body)
    }
}

extension Travel {
    private func snapshot(through position: Position) -> PastSnapshot? {
        guard let shelf else { return nil }
        for name in shelf.names.reversed() where name.mark.position <= position && !distrusted.contains(name) {
            if let known = opened[name] { return known }
            do throws(SnapshotFault) {
                let snapshot = try shelf.open(name)
                opened[name] = snapshot
                return snapshot
            } catch { distrust(name, error) }
        }
        return nil
    }

    private func distrust(_ name: SnapshotName, _ fault: SnapshotFault) {
        distrusted.insert(name)
        opened[name] = nil
        report("snapshot \(name.text) is passed over: it \(fault.reason).")
    }
}

extension PastSubject {
    fileprivate var isTable: Bool {
        switch self {
        case .card, .shop, .account, .campaign: false
        case .ratings, .statistics: true
        }
    }
}

/// A moment in the log for a query about the past.
public struct Moment: Hashable, Sendable {
    /// The last event up to the moment.
    public let position: Position
    /// The requested time, or the time of the event at ``position``; 1970-01-01 for position 0.
    public let clock: Instant
}

/// The types of events from which each answer is computed.
package enum PastTypes {
    /// The events that change a shop or its staff, without offers and invitations.
    package static let ofShop: [EventType] = [
        .shopOpened, .shopEdited, .staffAdded, .staffRemoved, .staffJoined, .roleChanged, .employmentEnded, .shopTransferred,
        .shopSuspended, .shopReinstated, .shopClosed,
    ]
    static let card = CardProgress.eventTypes
    static let ratings: Set<EventType> = [.reviewPosted, .reviewRemoved]
    static let statistics = Statistics.eventTypes
    /// At any shop of a campaign.
    static let stamps: Set<EventType> = [.cardOpened, .cardStamped, .stampReversed]
    /// All events that change the number of stamps that a card can still take.
    static let room = stamps.union([.cardDiscarded, .cardExpired, .cardAdjusted, .waitingCardTaken])
    static let campaign = Set(Campaign.eventTypes).union(card)
    static let shop = Set(Campaign.eventTypes + ofShop)
    static let account: Set<EventType> = card.union([
        .accountRegistered, .profileEdited, .passwordSet, .passwordRemoved, .accountErased, .shopOpened, .staffAdded, .staffRemoved,
        .staffJoined, .employmentEnded, .shopTransferred, .phoneChanged, .phoneChangeRequested, .phoneChangeEnded, .accountSuspended,
        .accountReinstated,
    ])
}
