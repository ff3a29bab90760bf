public import Loyalty
import LoyaltyCodec

extension GreenTea {
    /// Offers an account a place behind a shop's counter. The account need not exist; see `InviteStaff`.
    public func inviteStaff(_ account: AccountID, to shop: ShopID, by caller: Caller) async throws(ServiceError) -> Acceptance {
        try await submit(.inviteStaff(InviteStaff(invitation: newID(), shop: shop, account: account)), by: caller)
    }

    /// Makes the caller staff of the shop that invited them.
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
