/// A shop (店铺).
public struct Shop: Hashable, Sendable {
    public let id: ShopID
    public var owner: AccountID
    /// The time at which the owner opened the shop or took it over.
    public var ownerSince: Instant
    /// The newest offer of the shop to another account; `nil` if there was none, or once the offer was accepted, declined or withdrawn, or
    /// its lapse was recorded. The offer may have lapsed without a record yet.
    public var transfer: TransferOffer?
    /// The number of times that the shop was transferred to another owner.
    public var transfers = 0
    /// The people who work at the shop, except the owner.
    public var members: [AccountID: Member] = [:]
    /// Unanswered offers to work at the shop, by the invited account; expired offers may be among them.
    public var offers: [AccountID: StaffOffer] = [:]
    /// The position of the event that last ended the account's work at the shop, as a member of the staff or as its owner. Codes that the
    /// account issued before that event are void. ``Limits/hiringsPerShop`` and ``Limits/transfersPerShop`` limit the number of accounts.
    public var employmentEnds: [AccountID: UInt64] = [:]
    /// The number of offers to work at the shop that were accepted.
    public var hirings = 0
    /// The contact data in the form that the log stores. The service decrypts sealed data.
    public var contact: HeldContact
    /// The images in the order in which they are shown, each once.
    public var images: [ImageID]
    public var schedule = ShopSchedule()
    /// Whether an operator has suspended the shop. `ShopStanding` decides which activities a suspended shop may still have.
    public var isSuspended: Bool
    /// The facts about the closing; `nil` for a shop that has not closed for good.
    public var closing: ShopClosing?
    public let openedAt: Instant
    /// Position of the last event that opened, edited, transferred or closed the shop, for `ETag` and `If-Match`.
    public var version: UInt64

    public init(
        id: ShopID,
        owner: AccountID,
        contact: HeldContact,
        images: [ImageID],
        isSuspended: Bool,
        openedAt: Instant,
        version: UInt64
    ) {
        self.id = id
        self.owner = owner
        ownerSince = openedAt
        self.contact = contact
        self.images = images
        self.isSuspended = isSuspended
        self.openedAt = openedAt
        self.version = version
    }
}

extension Shop {
    /// The shop's name; empty if the contact data is sealed or erased.
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
