/// The owner offered an account work at the shop. Nothing changes for that account until it accepts.
///
/// The account need not be registered, because the owner must not learn whether it is registered.
public struct StaffInvited: Hashable, Sendable {
    public let invitation: InvitationID
    public let shop: ShopID
    public let account: AccountID
    /// The role: ``Role/counter`` or ``Role/manager``. If the account is already a member of the staff, this role is higher than its
    /// present role.
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

/// An offer was declined by the invited account, or ended by the shop's owner. An owner ends an offer by withdrawing or replacing it, by
/// removing the member to whom it was made, by closing the shop, by erasing their own account, or by taking the shop over.
///
/// The event's actor is the one who ended the offer.
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
    /// The role of the offer. The event repeats it, so that code that follows a shop's staff need not read offers.
    public let role: Role

    public init(invitation: InvitationID, shop: ShopID, account: AccountID, role: Role = .counter) {
        self.invitation = invitation
        self.shop = shop
        self.account = account
        self.role = role
    }
}

/// An account no longer works for a shop: the owner removed it or closed the shop, or it left or was erased. The event's actor is the one
/// who did so.
///
/// The open codes that the account issued at this shop become void. The shop's state keeps the position of the end, and each code
/// names its issuer. So the writer need not search for the codes.
///
/// Older logs have `StaffRemoved` in place of this event. `StaffRemoved` makes no code void, because in older logs such codes were used
/// even after that event. When an account is erased, `EmploymentEnded` comes before `AccountErased`.
public struct EmploymentEnded: Hashable, Sendable {
    public let shop: ShopID
    public let account: AccountID

    public init(shop: ShopID, account: AccountID) {
        self.shop = shop
        self.account = account
    }
}

/// An account works for a shop from now on. Logs of older releases have this event in place of `StaffJoined`.
public struct StaffAdded: Hashable, Sendable {
    public let shop: ShopID
    public let account: AccountID

    public init(shop: ShopID, account: AccountID) {
        self.shop = shop
        self.account = account
    }
}

/// An account no longer works for a shop. Logs of older releases have this event in place of `EmploymentEnded`.
public struct StaffRemoved: Hashable, Sendable {
    public let shop: ShopID
    public let account: AccountID

    public init(shop: ShopID, account: AccountID) {
        self.shop = shop
        self.account = account
    }
}
