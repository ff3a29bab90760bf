public import CommandService
public import Loyalty
import LoyaltyCodec

extension GreenTea {
    /// Offers a role at a shop, or lowers a member's role at once. The account need not exist, see `InviteStaff`.
    public func inviteStaff(_ offer: StaffRoleOffer, by caller: Caller) async throws(ServiceError) -> Acceptance {
        let command = InviteStaff(invitation: newID(), shop: offer.shop, account: offer.account, role: offer.role)
        return try await submit(.inviteStaff(command), by: caller)
    }

    public func inviteStaff(_ account: AccountID, to shop: ShopID, by caller: Caller) async throws(ServiceError) -> Acceptance {
        try await inviteStaff(StaffRoleOffer(account: account, shop: shop, role: nil), by: caller)
    }

    /// The account need not exist, see `OfferTransfer`.
    public func offerTransfer(of shop: ShopID, to account: AccountID, by caller: Caller) async throws(ServiceError) -> Acceptance {
        try await submit(.offerTransfer(OfferTransfer(invitation: newID(), shop: shop, account: account)), by: caller)
    }

    /// For an unknown number, an id that no account will ever have.
    public func invitee(withPhone number: E164Number) throws(ServiceError) -> AccountID {
        try account(ofPhone: number)?.id ?? keys.nobody(withPhone: number.text)
    }
}

extension GreenTea {
    /// A role at a shop for an account. One value because of a fault of Swift 6.3.1: a call with more 128-bit arguments jumps to address 0.
    public struct StaffRoleOffer: Sendable {
        public let account: AccountID
        public let shop: ShopID
        /// `nil` if the owner names none.
        public let role: Role?

        public init(account: AccountID, shop: ShopID, role: Role?) { (self.account, self.shop, self.role) = (account, shop, role) }
    }
}
