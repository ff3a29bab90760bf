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
        case .staffAdded, .staffRemoved, .staffInvited, .invitationEnded, .staffJoined, .roleChanged, .employmentEnded: evolveStaff(fact)
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
        }
        version = fact.position
    }

    private mutating func edit(_ event: ShopEdited, _ fact: Fact) {
        contact = event.contact
        images = event.images
        schedule = event.schedule
        version = fact.position
    }
}
