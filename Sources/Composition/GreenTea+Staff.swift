public import CommandService
public import Loyalty
import LoyaltyCodec

extension GreenTea {
    /// Offers an account a place behind a shop's counter, or gives a member another role. The account need not exist; see `InviteStaff`.
    public func inviteStaff(_ offer: StaffRoleOffer, by caller: Caller) async throws(ServiceError) -> Acceptance {
        let command = InviteStaff(invitation: newID(), shop: offer.shop, account: offer.account, role: offer.role)
        return try await submit(.inviteStaff(command), by: caller)
    }

    /// Offers an account a place behind a shop's counter.
    public func inviteStaff(_ account: AccountID, to shop: ShopID, by caller: Caller) async throws(ServiceError) -> Acceptance {
        try await inviteStaff(StaffRoleOffer(account: account, shop: shop, role: nil), by: caller)
    }

    /// Offers a shop to another account, which need not exist; see `OfferTransfer`.
    public func offerTransfer(of shop: ShopID, to account: AccountID, by caller: Caller) async throws(ServiceError) -> Acceptance {
        try await submit(.offerTransfer(OfferTransfer(invitation: newID(), shop: shop, account: account)), by: caller)
    }

    /// Takes back the open offer of a shop.
    public func withdrawTransfer(of shop: ShopID, by caller: Caller) async throws(ServiceError) -> Acceptance {
        try await submit(.withdrawTransfer(WithdrawTransfer(shop: shop)), by: caller)
    }

    /// Makes the caller staff of the shop that invited them, or its owner.
    public func acceptInvitation(_ invitation: InvitationID, by caller: Caller) async throws(ServiceError) -> Acceptance {
        try await submit(.acceptInvitation(AcceptInvitation(invitation: invitation)), by: caller)
    }

    /// Ends an open offer to the caller.
    public func declineInvitation(_ invitation: InvitationID, by caller: Caller) async throws(ServiceError) -> Acceptance {
        try await submit(.declineInvitation(DeclineInvitation(invitation: invitation)), by: caller)
    }

    /// Takes back an open offer of a shop.
    public func withdrawInvitation(
        _ invitation: InvitationID, of shop: ShopID, by caller: Caller
    ) async throws(ServiceError) -> Acceptance {
        try await submit(.withdrawInvitation(WithdrawInvitation(shop: shop, invitation: invitation)), by: caller)
    }

    /// Ends an account's work for a shop, or an open offer to it.
    public func removeStaff(_ account: AccountID, from shop: ShopID, by caller: Caller) async throws(ServiceError) -> Acceptance {
        try await submit(.removeStaff(RemoveStaff(shop: shop, account: account)), by: caller)
    }

    /// Ends the caller's work for a shop.
    public func leaveShop(_ shop: ShopID, by caller: Caller) async throws(ServiceError) -> Acceptance {
        try await submit(.leaveShop(LeaveShop(shop: shop)), by: caller)
    }

    /// Gives the caller no more notices of a shop; again, it does nothing.
    public func muteShop(_ shop: ShopID, by caller: Caller) async throws(ServiceError) -> Acceptance {
        try await submit(.muteShop(MuteShop(shop: shop)), by: caller)
    }

    /// Gives the caller a shop's notices again; again, it does nothing.
    public func unmuteShop(_ shop: ShopID, by caller: Caller) async throws(ServiceError) -> Acceptance {
        try await submit(.unmuteShop(UnmuteShop(shop: shop)), by: caller)
    }

    /// The account that a phone number stands for in an offer; for an unregistered number, an id that no account ever gets.
    public func invitee(withPhone number: E164Number) throws(ServiceError) -> AccountID {
        try account(ofPhone: number)?.id ?? keys.nobody(withPhone: number.text)
    }
}

extension GreenTea {
    /// A role at a shop for an account. One value, because the compiler (6.3.1) calls a method with more 128-bit arguments at address 0.
    public struct StaffRoleOffer: Sendable {
        public let account: AccountID
        public let shop: ShopID
        /// `nil` if the owner names none.
        public let role: Role?

        public init(account: AccountID, shop: ShopID, role: Role?) {
            (self.account, self.shop, self.role) = (account, shop, role)
        }
    }
}
