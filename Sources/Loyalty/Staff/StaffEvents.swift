/// The owner offered an account a place behind the shop's counter. Nothing changes for that account until it accepts.
///
/// The account need not be registered, because the owner must not learn whether it is.
public struct StaffInvited: Hashable, Sendable {
    public let invitation: InvitationID
    public let shop: ShopID
    public let account: AccountID
    /// ``Role/counter`` or ``Role/manager``. A member of the staff is offered a higher role.
    public let role: Role
    /// The moment from which the offer can no longer be accepted.
    public let expiresAt: Instant

    public init(invitation: InvitationID, shop: ShopID, account: AccountID, role: Role = .counter, expiresAt: Instant) {
        self.invitation = invitation
        self.shop = shop
        self.account = account
        self.role = role
        self.expiresAt = expiresAt
    }
}

/// An offer was declined or withdrawn; the actor of the event tells which: the invited account, or the shop's owner.
public struct InvitationEnded: Hashable, Sendable {
    public let invitation: InvitationID
    public let shop: ShopID
    public let account: AccountID

    public init(invitation: InvitationID, shop: ShopID, account: AccountID) {
        self.invitation = invitation
        self.shop = shop
        self.account = account
    }
}

/// The invited account accepted an offer: it works for the shop from now on.
public struct StaffJoined: Hashable, Sendable {
    public let invitation: InvitationID
    public let shop: ShopID
    public let account: AccountID
    /// The role of the offer, so that readers of the staff need no offers.
    public let role: Role

    public init(invitation: InvitationID, shop: ShopID, account: AccountID, role: Role = .counter) {
        self.invitation = invitation
        self.shop = shop
        self.account = account
        self.role = role
    }
}

/// Somebody works for a shop no more: the owner removed them, or they left; the actor of the event tells which.
///
/// Their codes at this shop that were open end with it. `StaffRemoved`, which older logs have in its place, ends no code.
///
/// `EmploymentEnded` voids the codes that its account issued at that shop before. The shop remembers the moment for as long as such a code
/// could be open, and a code its issuer; finding the open codes would take a walk on the writer's thread. `StaffRemoved` voids nothing,
/// because older logs have stamps after it. Erasing an account ends its work by the same event, before the certificate.
public struct EmploymentEnded: Hashable, Sendable {
    public let shop: ShopID
    public let account: AccountID

    public init(shop: ShopID, account: AccountID) {
        self.shop = shop
        self.account = account
    }
}

/// Somebody works for a shop from now on.
public struct StaffAdded: Hashable, Sendable {
    public let shop: ShopID
    public let account: AccountID

    public init(shop: ShopID, account: AccountID) {
        self.shop = shop
        self.account = account
    }
}

/// Somebody works for a shop no more.
public struct StaffRemoved: Hashable, Sendable {
    public let shop: ShopID
    public let account: AccountID

    public init(shop: ShopID, account: AccountID) {
        self.shop = shop
        self.account = account
    }
}
