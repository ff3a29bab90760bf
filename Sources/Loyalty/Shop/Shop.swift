/// A shop (店铺).
public struct Shop: Hashable, Sendable {
    public let id: ShopID
    public var owner: AccountID
    /// Since the opening or the take-over.
    public var ownerSince: Instant
    /// The newest offer of the shop until its end is recorded; may have lapsed.
    public var transfer: TransferOffer?
    public var transfers = 0
    /// Without the owner.
    public var members: [AccountID: Member] = [:]
    /// By invited account; may include expired offers.
    public var offers: [AccountID: StaffOffer] = [:]
    /// The position of the event that last ended an account's work at the shop. Codes that the account issued before are void.
    public var employmentEnds: [AccountID: UInt64] = [:]
    public var hirings = 0
    public var contact: HeldContact
    public var images: [ImageID]
    public var schedule = ShopSchedule()
    public var look = ShopLook.plain
    /// `ShopStanding` decides what a suspended shop may still do.
    public var isSuspended: Bool
    public var closing: ShopClosing?
    public let openedAt: Instant
    /// For `ETag` and `If-Match`.
    public var version: UInt64

    public init(
        id: ShopID, owner: AccountID, contact: HeldContact, images: [ImageID], isSuspended: Bool, openedAt: Instant, version: UInt64
    ) {
        (self.id, self.owner) = (id, owner)
        ownerSince = openedAt
        (self.contact, self.images, self.isSuspended) = (contact, images, isSuspended)
        (self.openedAt, self.version) = (openedAt, version)
    }
}

extension Shop {
    /// Empty if sealed or erased.
    public var name: String { contact.open?.name ?? "" }
    public var phone: String { contact.open?.phone ?? "" }
    public var address: String { contact.open?.address ?? "" }
    public var location: Coordinate? { contact.open?.location }
}

extension Shop {
    public init?(opening fact: Fact) {
        guard case .shopOpened(let event) = fact.event else { return nil }
        self.init(
            id: event.shop, owner: event.owner, contact: event.contact, images: event.images, isSuspended: false,
            openedAt: fact.time, version: fact.position)
        schedule = event.schedule
    }

    public mutating func evolve(_ fact: Fact) {
        switch fact.event {
        case .shopEdited(let event) where event.shop == id: edit(event, fact)
        case .transferOffered, .shopTransferred, .transferLapsed: evolveOwner(fact)
        case .staffAdded, .staffRemoved, .staffInvited, .invitationEnded, .staffJoined, .roleChanged, .employmentEnded,
            .waitingOfferTaken:
            evolveStaff(fact)
        case .shopSuspended(let event) where event.shop == id: isSuspended = true
        case .shopReinstated(let event) where event.shop == id: isSuspended = false
        case .shopClosed(let event) where event.shop == id: close(event, fact)
        default: break
        }
    }

    private mutating func close(_ event: ShopClosed, _ fact: Fact) {
        closing = ShopClosing(closedAt: closing?.closedAt ?? fact.time, redeemUntil: event.redeemUntil)
        if event.erasesContact {
            contact = .erased
            images = []
            look = .plain
        }
        version = fact.position
    }

    private mutating func edit(_ event: ShopEdited, _ fact: Fact) {
        contact = event.contact
        images = event.images
        schedule = event.schedule
        look = event.look
        version = fact.position
    }
}

/// A merchant opened a shop.
public struct ShopOpened: Hashable, Sendable {
    public let shop: ShopID
    public let owner: AccountID
    public let contact: HeldContact
    public let images: [ImageID]
    public let schedule: ShopSchedule

    public init(shop: ShopID, owner: AccountID, contact: HeldContact, images: [ImageID] = [], schedule: ShopSchedule = ShopSchedule()) {
        (self.shop, self.owner, self.contact, self.images, self.schedule) = (shop, owner, contact, images, schedule)
    }

    public init(
        shop: ShopID, owner: AccountID, name: String, phone: String, address: String, location: Coordinate, images: [ImageID] = []
    ) {
        let contact = ShopContact(name: name, phone: phone, address: address, location: location)
        self.init(shop: shop, owner: owner, contact: .clear(contact), images: images)
    }
}

/// The owner changed a shop's data. The event has all fields, so that readers need no earlier state.
public struct ShopEdited: Hashable, Sendable {
    public let shop: ShopID
    public let contact: HeldContact
    public let images: [ImageID]
    public let schedule: ShopSchedule
    public let look: ShopLook

    public init(
        shop: ShopID, contact: HeldContact, images: [ImageID], schedule: ShopSchedule = ShopSchedule(), look: ShopLook = .plain
    ) {
        (self.shop, self.contact, self.images, self.schedule, self.look) = (shop, contact, images, schedule, look)
    }

    init(_ shop: Shop) {
        self.init(shop: shop.id, contact: shop.contact, images: shop.images, schedule: shop.schedule, look: shop.look)
    }

    /// Each picture once.
    public var pictures: [ImageID] { images + [look.logo].compactMap { $0 }.filter { !images.contains($0) } }

    public init(shop: ShopID, name: String, phone: String, address: String, location: Coordinate, images: [ImageID]) {
        let contact = ShopContact(name: name, phone: phone, address: address, location: location)
        self.init(shop: shop, contact: .clear(contact), images: images)
    }
}

/// A shop closed for good: its campaigns end, its open codes are void, and searches no longer find it.
public struct ShopClosed: Hashable, Sendable {
    public let shop: ShopID
    public let redeemUntil: Instant
    /// If the owner was erased, the contact data's key is destroyed once this event is durable.
    public let erasesContact: Bool
    public let reason: Sealed?

    public init(shop: ShopID, redeemUntil: Instant, erasesContact: Bool, reason: Sealed? = nil) {
        (self.shop, self.redeemUntil, self.erasesContact, self.reason) = (shop, redeemUntil, erasesContact, reason)
    }
}

/// An activity at a shop that the shop's state may forbid. `events.proto` assigns the kinds to events.
struct ShopAct: Hashable, Sendable {
    enum Kind: Hashable, Sendable {
        /// Only while neither suspended nor closed.
        case trade
        /// Rewards, reversals, and taking a paper card with waiting codes. Suspended shops may correct mistakes.
        case redemption
        case reply
    }

    var kind: Kind
    var shop: ShopID
}

extension LoyaltyEvent {
    /// `nil` for events that no state of a shop forbids.
    var act: ShopAct? {
        // An accepted offer raises a role; lowering one only takes access away.
        if case .roleChanged(let event) = self, event.invitation == nil { return nil }
        guard let actKind, let shop else { return nil }
        return ShopAct(kind: actKind, shop: shop)
    }
}

enum ShopStanding: Hashable, Sendable {
    case open
    /// Allows redemptions, and replies of strangers.
    case suspended
    /// Like ``suspended``, until the date that the closing named.
    case closing
    /// The closing's date has passed, or an older release erased the owner without recording a closing.
    case closed

    init(_ shop: Shop, owner: Account?, at now: Instant) {
        if shop.closing != nil {
            self = shop.handsOutRewards(at: now) ? .closing : .closed
        } else {
            self = owner == nil ? .closed : shop.isSuspended ? .suspended : .open
        }
    }

    func allows(_ act: ShopAct.Kind, byItsPeople: Bool) -> Bool {
        switch (self, act) {
        case (.open, _): true
        case (.suspended, .redemption), (.closing, .redemption): true
        case (_, .reply): !byItsPeople
        case (.suspended, .trade), (.closing, .trade), (.closed, _): false
        }
    }
}

extension Command {
    /// The customer earned these stamps earlier, so they are given while rewards are.
    private func takesWhatWaited(_ events: [LoyaltyEvent]) -> Bool {
        guard case .takePaper = self else { return false }
        return events.contains { if case .paperCardTaken(let taken) = $0 { taken.stamps > 0 } else { false } }
    }

    /// Checked after the decision, so that a rejected actor learns nothing about the shop's state.
    ///
    /// The decided events are judged and not the command, so that a new command cannot bypass the shop's state.
    func refusal<P: Past>(
        of events: [LoyaltyEvent], in past: inout P, by actor: AccountID, at now: Instant
    ) throws(P.Failure) -> Rejection? {
        switch self {
        // The ends of campaigns and employments in these commands are no activity of the shop.
        case .eraseAccount, .closeShop: return nil
        // ``PublishNotice`` checks the shop itself, and records a lapse.
        case .publishNotice: return nil
        default: break
        }
        let handsOut = takesWhatWaited(events)
        var asked: ShopAct?
        for event in events {
            guard let own = event.act else { continue }
            // For waiting codes, only the state of the campaign's own shop matters.
            let act = handsOut ? ShopAct(kind: .redemption, shop: event.home ?? own.shop) : own
            guard act != asked else { continue }
            asked = act
            if let refusal = try refusal(of: act, in: &past, by: actor, at: now) {
                // The campaign's own shop may take back what another shop gave.
                guard event.takesBack, let home = event.home, try past.shop(home)?.employs(actor) == true else { return refusal }
            }
            // The campaign's own shop must allow it too.
            guard !handsOut, let home = event.home else { continue }
            if let refusal = try refusal(of: ShopAct(kind: act.kind, shop: home), in: &past, by: actor, at: now) { return refusal }
        }
        return nil
    }

    private func refusal<P: Past>(of act: ShopAct, in past: inout P, by actor: AccountID, at now: Instant) throws(P.Failure) -> Rejection? {
        guard let shop = try past.shop(act.shop) else { return nil }
        let standing = ShopStanding(shop, owner: try past.account(shop.owner), at: now)
        guard !standing.allows(act.kind, byItsPeople: shop.employs(actor)) else { return nil }
        return standing == .suspended ? .suspended : .shopClosed
    }
}

/// The time at which a shop closed, and what is still allowed afterwards.
public struct ShopClosing: Hashable, Sendable {
    public let closedAt: Instant
    /// Until then the shop's people hand out rewards.
    public let redeemUntil: Instant

    public init(closedAt: Instant, redeemUntil: Instant) { (self.closedAt, self.redeemUntil) = (closedAt, redeemUntil) }
}

extension Shop {
    public func handsOutRewards(at now: Instant) -> Bool { closing.map { now < $0.redeemUntil } ?? true }

    /// With staff, full cards can be redeemed for another ``Limits/closedRedeemSeconds``. An earlier closing's date still applies.
    ///
    /// - Parameter erasesContact: false for a step that only prepares the erasure.
    func closedWithOwner(at now: Instant, erasesContact: Bool) -> ShopClosed {
        let end = staff.isEmpty ? now : now.advanced(bySeconds: Limits.closedRedeemSeconds)
        return ShopClosed(shop: id, redeemUntil: closing?.redeemUntil ?? end, erasesContact: erasesContact)
    }
}
