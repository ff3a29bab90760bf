public import CommandService
public import EventLog
public import Loyalty
public import LoyaltyCodec
public import ReadModels

/// The acts at a shop that a member looks for; all conditions must hold.
public struct SoughtActs: Sendable {
    /// A customer, by their account or their name at the shop.
    public enum Holder: Sendable {
        case account(AccountID)
        case handle(String)
    }

    public let shop: Shop
    public var kinds: Set<ActivityKind> = Set(ActivityKind.allCases)
    public var days: ShopDays?
    public var card: CardEnding?
    /// A stamp code or a redemption code.
    public var code: TypedCode?
    public var holder: Holder?
    public var member: AccountID?

    public init(at shop: Shop) { self.shop = shop }

    fileprivate var shopTag: Tag { Tag(kind: .shop, value: shop.id.value) }
}

/// The end of a page of acts.
public enum ActivityPlace: Hashable, Sendable {
    case before(Position)
    /// The customer with the handle was not found among the events from here on. `list` is the end of the last page with acts.
    case searching(Position, list: Position?)

    fileprivate var list: Position? {
        switch self {
        case .before(let position): position
        case .searching(_, let list): list
        }
    }
}

extension LoyaltyEvent {
    /// The customer whose act this is, also one who took a paper card.
    public var customer: AccountID? {
        if case .paperCardTaken(let event) = self { event.holder } else { holder }
    }
}

extension GreenTea {
    private static let dayMicroseconds: Int64 = 86_400_000_000

    /// A page of acts, newest first, with bounded work. A page may be short, or empty, and still not be the last.
    public func activity(
        of sought: SoughtActs, before place: ActivityPlace?, limit: Int
    ) throws(ServiceError) -> (facts: [Fact], next: ActivityPlace?) {
        do {
            let past = LogPast(log)
            var tags = [[sought.shopTag]]
            switch sought.holder {
            case nil: break
            case .account(let account): tags = try holderTags(of: account, at: sought.shop.id, in: past)
            case .handle(let handle):
                switch try holder(with: handle, of: sought, from: place, in: past) {
                case .found(let account): tags = try holderTags(of: account, at: sought.shop.id, in: past)
                case .unknown(let next): return ([], next.map { .searching($0, list: place?.list) })
                }
            }
            if let ending = sought.card {
                let cards = try models.activity.cards(ending: ending, limit: Limits.activityCards)
                tags = tags.flatMap { tags in cards.map { tags + [Tag(kind: .card, value: $0.value)] } }
            }
            if let code = sought.code {
                let things = try self.things(with: code, in: past)
                tags = tags.flatMap { tags in things.map { tags + [$0] } }
            }
            guard !tags.isEmpty, let places = try places(of: sought) else { return ([], nil) }
            let types = ActivityKind.allCases.filter(sought.kinds.contains).flatMap(\.types)
            let query = Query.items(tags.map { QueryItem(types: types, tags: $0) })
            let acts = try past.acts(matching: query, on: sought.days, within: places, before: place?.list, limit: limit) { fact in
                try sought.member == nil || member(of: fact, in: past) == sought.member
            }
            return (acts.facts, acts.next.map { .before($0) })
        } catch {
            throw ServiceError(storage: error)
        }
    }

    /// The tags of the account's acts, and of those under each id by which cards waited for its number.
    private func holderTags(of account: AccountID, at shop: ShopID, in past: LogPast<EventLog>) throws -> [[Tag]] {
        let persons = try past.waitingPersons(takenOverBy: account, limit: Limits.activityPersons)
        return ([account] + persons).map { [Tag(kind: .shop, value: shop.value), Tag(kind: .account, value: $0.value)] }
    }

    /// A stamp code and a redemption code may have the same text.
    private func things(with code: TypedCode, in past: LogPast<EventLog>) throws -> [Tag] {
        let stamp = try past.code(secret: keys.secret(ofStampCode: code)).map { Tag(kind: .code, value: $0.id.value) }
        let reward = try past.redemption(secret: keys.secret(ofRedemptionCode: code)).map { Tag(kind: .redemption, value: $0.id.value) }
        return [stamp, reward].compactMap(\.self)
    }

    private var today: Int { Int(clock.now().microseconds / Self.dayMicroseconds) }

    /// Whether the search follows a read model to a card or to days that are over. The list ends early if the model is behind.
    public func followsModel(_ sought: SoughtActs) -> Bool {
        sought.card != nil || (sought.days?.days.upperBound).map { $0 < today - 1 } ?? false
    }

    /// The model knows the positions of days in UTC, from which those of the shop differ by less than a day. It may lag behind today.
    private func places(of sought: SoughtActs) throws -> ClosedRange<UInt64>? {
        guard let days = sought.days?.days else { return 1...UInt64.max }
        let today = self.today
        let (first, last) = (max(0, days.lowerBound == .min ? 0 : days.lowerBound - 1), min(today, days.upperBound) + 1)
        // Before the rows, so that they have all acts up to here. The first event is no act.
        let reached = max(1, models.position(of: ActivityPlaces.name).rawValue)
        let known = first <= last ? try models.activity.places(on: first...last) : nil
        if last >= today { return (known?.first ?? reached + 1)...UInt64.max }
        return known.map { $0.first...$0.last }
    }

    private enum FoundHolder {
        case found(AccountID)
        /// The end of this part of the search; nil at the end of all.
        case unknown(next: Position?)
    }

    /// A handle cannot be reversed, so the shop's events are searched for it. A later page begins at an event of the customer.
    private func holder(
        with handle: String, of sought: SoughtActs, from place: ActivityPlace?, in past: LogPast<EventLog>
    ) throws -> FoundHolder {
        var handles: [AccountID: String] = [:]
        func isSought(_ account: AccountID?) -> Bool {
            guard let account else { return false }
            let known = handles[account] ?? keys.handle(of: account, at: sought.shop.id)
            handles[account] = known
            return known == handle
        }
        var before: Position?
        switch place {
        case .before(let position):
            let holder = try log.event(at: position).map { try LoyaltyCodec.decode($0).event.customer } ?? nil
            if let holder, isSought(holder) { return .found(holder) }
            // The act may be one of a card's time of waiting.
            if let taker = try holder.flatMap({ try past.taker(of: $0) }), isSought(taker) { return .found(taker) }
        case .searching(let position, _): before = position
        case nil: break
        }
        let query = Query.items([QueryItem(types: ActivityKind.holderTypes, tags: [sought.shopTag])])
        let acts = try past.acts(matching: query, on: nil, before: before, limit: 1, askedMax: .max) { isSought($0.event.customer) }
        if let holder = acts.facts.first?.event.customer { return .found(holder) }
        return .unknown(next: acts.next)
    }

    /// The member who acted for the shop; nil for an act of a customer, an operator or the clock.
    public func member(of fact: Fact, in past: LogPast<EventLog>) throws -> AccountID? {
        switch fact.event {
        case .cardStamped(let event): try past.code(event.code)?.issuer
        case .codeIssued, .codeDestroyed, .paperStamped, .stampReversed, .paperStampReversed, .cardRedeemed, .milestoneRedeemed,
            .redemptionReversed, .milestoneReversed:
            fact.actor
        case .cardDiscarded(let event): event.holder == fact.actor ? nil : fact.actor
        default: nil
        }
    }
}

extension ActivityKind {
    /// Each holder of a card at the shop is named by an event of one of these.
    fileprivate static let holderTypes: [EventType] = [.cardOpened, .cardStamped, .waitingCardTaken, .paperCardTaken]
}

extension GreenTea {
    /// Looks up the customer of a number, and records that the caller did. The work is the same for everybody. A stranger's number gives an
    /// account without events.
    ///
    /// - Throws: `.rejected(.forbidden)` for a caller who works elsewhere.
    public func searchCustomer(_ phone: E164Number, at shop: ShopID, by caller: Caller) async throws(ServiceError) -> AccountID {
        let (known, waiting) = (try account(ofPhone: phone)?.id, try waitingPerson(under: phone))
        let account = known ?? waiting ?? keys.nobody(withPhone: phone.text)
        let isHolder = try reading { past -> Bool in
            let items = try holderTags(of: account, at: shop, in: past).map { QueryItem(types: ActivityKind.holderTypes, tags: $0) }
            return try !past.source.events(matching: .items(items), through: .max, backwards: true, limit: 1).isEmpty
        }
        let found = isHolder ? account : nil
        _ = try await submit(.noteSearch(NoteSearch(found: found, at: shop)), by: caller)
        return found ?? keys.nobody(withPhone: phone.text)
    }

    /// A claim of a registered account may be for a number that is not its own yet.
    private func waitingPerson(under phone: E164Number) throws(ServiceError) -> AccountID? {
        for name in [phone.text, KeyStore.setAside(phone.text)] {
            guard let person = try claimant(of: name) else { continue }
            if try reading({ try $0.account(person) == nil && !$0.wasErased(person) }) { return person }
        }
        return nil
    }

    /// See ``ReverseStamp/most(of:by:at:in:)``.
    public func reversible(_ code: CodeID, by account: AccountID) throws(ServiceError) -> (stamps: Int, until: Instant)? {
        let now = clock.now()
        return try reading { past -> (stamps: Int, until: Instant)? in
            var past = past
            return try ReverseStamp.most(of: code, by: account, at: now, in: &past)
        }
    }

    /// Until when the account could take a reward back; nil if not at all.
    public func reversible(_ redemption: RedemptionID, by account: AccountID) throws(ServiceError) -> Instant? {
        let now = clock.now()
        return try reading { past -> Instant? in
            guard let until = try past.redemption(redemption)?.redeemedAt?.advanced(bySeconds: Loyalty.Limits.reversalSeconds), now < until
            else { return nil }
            var past = past
            let command = Command.reverseRedemption(ReverseRedemption(redemption: redemption, reason: "?"))
            guard case .success = try command.decide(in: &past, by: account, at: now) else { return nil }
            return until
        }
    }
}
