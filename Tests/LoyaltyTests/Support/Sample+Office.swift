import Loyalty

/// Commands of owners and operators.
extension Sample {
    static func edit(
        _ shop: ShopID = shop, expected: ExpectedVersion = .any, name: String? = nil, phone: String? = nil, address: String? = nil,
        location: Coordinate? = nil, images: [ImageID]? = nil
    ) -> Command {
        .editShop(
            EditShop(
                shop: shop, expected: expected, name: name, phone: phone, address: address, location: location, images: images))
    }

    static func edit(
        _ campaign: CampaignID, expected: ExpectedVersion = .any, title: String? = nil, details: String? = nil, goal: Int? = nil,
        reward: String? = nil, from startsAt: Instant? = nil, to endsAt: Instant? = nil, image: Change<ImageID> = .unchanged,
        stampsPerDayMax: Change<Int> = .unchanged, minimumGapSeconds: Change<Int> = .unchanged
    ) -> Command {
        .editCampaign(
            EditCampaign(
                campaign: campaign, expected: expected, title: title, details: details, goal: goal, reward: reward,
                startsAt: startsAt, endsAt: endsAt, image: image, stampsPerDayMax: stampsPerDayMax,
                minimumGapSeconds: minimumGapSeconds))
    }

    static func hire(_ account: AccountID, at shop: ShopID = shop) -> Command {
        .addStaff(AddStaff(shop: shop, account: account))
    }

    static func dismiss(_ account: AccountID, from shop: ShopID = shop) -> Command {
        .removeStaff(RemoveStaff(shop: shop, account: account))
    }

    static func suspend(_ shop: ShopID = shop, reason: String = "Sells stamps") -> Command {
        .suspendShop(SuspendShop(shop: shop, reason: reason))
    }

    static func reinstate(_ shop: ShopID = shop, reason: String = "") -> Command {
        .reinstateShop(ReinstateShop(shop: shop, reason: reason))
    }

    static func reverse(_ redemption: RedemptionID = redemption, reason: String = "Wrong card") -> Command {
        .reverseRedemption(ReverseRedemption(redemption: redemption, reason: reason))
    }

    static func adjust(
        _ card: CardID = card, by stamps: Int, expected: ExpectedVersion = .any, reason: String = "Miscounted"
    ) -> Command {
        .adjustCard(AdjustCard(card: card, expected: expected, stamps: stamps, reason: reason))
    }
}
