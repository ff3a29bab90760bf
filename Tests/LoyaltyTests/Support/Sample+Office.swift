import Loyalty

/// Commands of owners and operators.
extension Sample {
    static func edit(
        _ shop: ShopID = shop, expected: ExpectedVersion = .any, name: String? = nil, phone: String? = nil, address: String? = nil,
        location: Coordinate? = nil, images: [ImageID]? = nil, timeZone: String? = nil,
        openingHours: Change<[OpeningHours]> = .unchanged, color: Change<ShopColor> = .unchanged, logo: Change<ImageID> = .unchanged
    ) -> Command {
        .editShop(
            EditShop(
                shop: shop, expected: expected, name: name, phone: phone, address: address, location: location, images: images,
                timeZone: timeZone, openingHours: openingHours, color: color, logo: logo))
    }

    static func label(_ account: AccountID, _ label: TypedText, at shop: ShopID = shop) -> Command {
        .labelStaff(LabelStaff(shop: shop, account: account, label: label))
    }

    static func takeOffer(_ invitation: InvitationID = invitation) -> Command {
        .takeWaitingOffer(TakeWaitingOffer(invitation: invitation))
    }

    static func edit(
        _ campaign: CampaignID, expected: ExpectedVersion = .any, title: String? = nil, details: String? = nil, goal: Int? = nil,
        reward: String? = nil, from startsAt: Instant? = nil, to endsAt: Instant? = nil, image: Change<ImageID> = .unchanged,
        stampsPerDayMax: Change<Int> = .unchanged, minimumGapSeconds: Change<Int> = .unchanged,
        options: CampaignOptionChanges = .none
    ) -> Command {
        .editCampaign(
            EditCampaign(
                campaign: campaign, expected: expected, title: title, details: details, goal: goal, reward: reward,
                startsAt: startsAt, endsAt: endsAt, image: image, stampsPerDayMax: stampsPerDayMax,
                minimumGapSeconds: minimumGapSeconds, options: options))
    }

    static func invite(
        _ account: AccountID, to shop: ShopID = shop, as invitation: InvitationID = invitation, role: Role? = nil
    ) -> Command {
        .inviteStaff(InviteStaff(invitation: invitation, shop: shop, account: account, role: role))
    }

    static func transfer(
        _ shop: ShopID = shop, to account: AccountID = customer, as invitation: InvitationID = invitation
    ) -> Command {
        .offerTransfer(OfferTransfer(invitation: invitation, shop: shop, account: account))
    }

    static func keep(_ shop: ShopID = shop) -> Command { .withdrawTransfer(WithdrawTransfer(shop: shop)) }

    static func lapseTransfer(_ shop: ShopID = shop) -> Command { .lapseTransfer(LapseTransfer(shop: shop)) }

    static func accept(_ invitation: InvitationID = invitation) -> Command {
        .acceptInvitation(AcceptInvitation(invitation: invitation))
    }

    static func decline(_ invitation: InvitationID = invitation) -> Command {
        .declineInvitation(DeclineInvitation(invitation: invitation))
    }

    static func withdraw(_ invitation: InvitationID = invitation, of shop: ShopID = shop) -> Command {
        .withdrawInvitation(WithdrawInvitation(shop: shop, invitation: invitation))
    }

    static func leave(_ shop: ShopID = shop) -> Command { .leaveShop(LeaveShop(shop: shop)) }
    static func mute(_ shop: ShopID = shop) -> Command { .muteShop(MuteShop(shop: shop)) }
    static func unmute(_ shop: ShopID = shop) -> Command { .unmuteShop(UnmuteShop(shop: shop)) }

    static func dismiss(_ account: AccountID, from shop: ShopID = shop) -> Command {
        .removeStaff(RemoveStaff(shop: shop, account: account))
    }

    static func suspend(_ shop: ShopID = shop, reason: TypedText = "Sells stamps") -> Command {
        .suspendShop(SuspendShop(shop: shop, reason: reason))
    }

    static func suspend(_ account: AccountID, reason: TypedText = "Sells stamps") -> Command {
        .suspendAccount(SuspendAccount(account: account, reason: reason))
    }

    static func reinstate(_ account: AccountID, reason: TypedText = "") -> Command {
        .reinstateAccount(ReinstateAccount(account: account, reason: reason))
    }

    static func reinstate(_ shop: ShopID = shop, reason: TypedText = "") -> Command {
        .reinstateShop(ReinstateShop(shop: shop, reason: reason))
    }

    static func age(_ card: CardID = card, notice: NoticeID = notice) -> Command { .ageCard(AgeCard(card: card, notice: notice)) }

    static func reverse(_ redemption: RedemptionID = redemption, reason: TypedText = "Wrong card") -> Command {
        .reverseRedemption(ReverseRedemption(redemption: redemption, reason: reason))
    }

    static func adjust(
        _ card: CardID = card, by stamps: Int, expected: ExpectedVersion = .any, reason: TypedText = "Miscounted"
    ) -> Command {
        .adjustCard(AdjustCard(card: card, expected: expected, stamps: stamps, reason: reason))
    }
}
