public import CommandService
public import Loyalty
import LoyaltyCodec

extension GreenTea {
    /// Offers an account employment at a shop, or changes the role of a member of the shop's staff. A lower role takes effect at once, a
    /// higher one is only offered. The account need not exist; see `InviteStaff`.
    public func inviteStaff(_ offer: StaffRoleOffer, by caller: Caller) async throws(ServiceError) -> Acceptance {
        let command = InviteStaff(invitation: newID(), shop: offer.shop, account: offer.account, role: offer.role)
        return try await submit(.inviteStaff(command), by: caller)
    }

    /// Offers employment at a shop's counter to an account.
    public func inviteStaff(_ account: AccountID, to shop: ShopID, by caller: Caller) async throws(ServiceError) -> Acceptance {
        try await inviteStaff(StaffRoleOffer(account: account, shop: shop, role: nil), by: caller)
    }

    /// Offers a shop to another account, which need not exist; see `OfferTransfer`.
    public func offerTransfer(of shop: ShopID, to account: AccountID, by caller: Caller) async throws(ServiceError) -> Acceptance {
        try await submit(.offerTransfer(OfferTransfer(invitation: newID(), shop: shop, account: account)), by: caller)
    }

    /// Withdraws the open offer of a shop to another account.
    public func withdrawTransfer(of shop: ShopID, by caller: Caller) async throws(ServiceError) -> Acceptance {
        try await submit(.withdrawTransfer(WithdrawTransfer(shop: shop)), by: caller)
    }

    /// Accepts an offer. The caller becomes a member of the shop's staff or, if the shop itself was offered, its owner.
    public func acceptInvitation(_ invitation: InvitationID, by caller: Caller) async throws(ServiceError) -> Acceptance {
        try await submit(.acceptInvitation(AcceptInvitation(invitation: invitation)), by: caller)
    }

    /// Declines an open offer to the caller.
    public func declineInvitation(_ invitation: InvitationID, by caller: Caller) async throws(ServiceError) -> Acceptance {
        try await submit(.declineInvitation(DeclineInvitation(invitation: invitation)), by: caller)
    }

    /// Withdraws an open offer to work for a shop, or to own it.
    public func withdrawInvitation(
        _ invitation: InvitationID, of shop: ShopID, by caller: Caller
    ) async throws(ServiceError) -> Acceptance {
        try await submit(.withdrawInvitation(WithdrawInvitation(shop: shop, invitation: invitation)), by: caller)
    }

    /// Ends an account's work for a shop, or withdraws an open offer of work to the account.
    public func removeStaff(_ account: AccountID, from shop: ShopID, by caller: Caller) async throws(ServiceError) -> Acceptance {
        try await submit(.removeStaff(RemoveStaff(shop: shop, account: account)), by: caller)
    }

    /// Ends the caller's work for a shop.
    public func leaveShop(_ shop: ShopID, by caller: Caller) async throws(ServiceError) -> Acceptance {
        try await submit(.leaveShop(LeaveShop(shop: shop)), by: caller)
    }

    /// Mutes a shop, so that the caller gets no more of its notices. Does nothing if the shop is muted already.
    public func muteShop(_ shop: ShopID, by caller: Caller) async throws(ServiceError) -> Acceptance {
        try await submit(.muteShop(MuteShop(shop: shop)), by: caller)
    }

    /// Ends the mute of a shop, so that the caller gets its notices again. Does nothing if the shop is not muted.
    public func unmuteShop(_ shop: ShopID, by caller: Caller) async throws(ServiceError) -> Acceptance {
        try await submit(.unmuteShop(UnmuteShop(shop: shop)), by: caller)
    }

    /// The account to which an offer for a phone number is made. For a number without an account, the result is an id that no account will
    /// ever have.
    public func invitee(withPhone number: E164Number) throws(ServiceError) -> AccountID {
        try account(ofPhone: number)?.id ?? keys.nobody(withPhone: number.text)
    }
}

extension GreenTea {
    /// A role at a shop for an account. The parts are one value because of a fault of Swift 6.3.1: a call of a method with more 128-bit
    /// arguments jumps to address 0.
    public struct StaffRoleOffer: Sendable {
        public let account: AccountID
        public let shop: ShopID
        /// The role; `nil` if the owner names none.
        public let role: Role?

        public init(account: AccountID, shop: ShopID, role: Role?) {
            (self.account, self.shop, self.role) = (account, shop, role)
        }
    }
}
