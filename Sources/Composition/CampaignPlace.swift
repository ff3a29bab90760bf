public import CommandService
public import Loyalty
public import LoyaltyCodec

/// A shop that a request names.
///
/// A class because of a fault of Swift 6.3.1: an asynchronous function with several ids as parameters or values jumps to address 0 when it
/// awaits the writer.
public final class NamedShop: Sendable {
    public let id: ShopID

    public init(_ id: ShopID) { self.id = id }
}

/// A campaign and the shop where its stamps are given. A class like ``NamedShop``.
public final class CampaignPlace: Sendable {
    public let campaign: CampaignID
    /// `nil` if the actor works at only one of the campaign's shops.
    public let shop: ShopID?

    public init(_ campaign: CampaignID, at shop: NamedShop? = nil) { (self.campaign, self.shop) = (campaign, shop?.id) }
}

/// Stamps for a customer who tells their phone number. A class like ``NamedShop``.
public final class NumberGift: Sendable {
    public let place: CampaignPlace
    public let stamps: Int
    public let phone: E164Number
    public let caller: Caller

    public init(_ stamps: Int, at place: CampaignPlace, toPhone phone: E164Number, by caller: Caller) {
        (self.stamps, self.place, self.phone, self.caller) = (stamps, place, phone, caller)
    }
}

/// A code to be issued at a counter. A class like ``NamedShop``.
public final class CodeOffer: Sendable {
    let place: CampaignPlace
    let stamps: Int

    public init(_ stamps: Int, of campaign: CampaignID, at shop: NamedShop?) {
        (self.stamps, place) = (stamps, CampaignPlace(campaign, at: shop))
    }
}

/// A redemption code shown at a counter. A class like ``NamedShop``.
public final class ShownReward: Sendable {
    public let code: TypedCode
    public let shop: NamedShop?
    public let caller: Caller

    public init(_ code: TypedCode, at shop: NamedShop?, to caller: Caller) { (self.code, self.shop, self.caller) = (code, shop, caller) }
}
