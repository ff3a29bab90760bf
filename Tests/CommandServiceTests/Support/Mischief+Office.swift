import Loyalty
import World

/// Commands of owners and operators away from the counter, mostly on existing objects.
extension Mischief {
    mutating func office(in world: World) -> Command? {
        let shop = ShopID(UInt128(number(in: 1..<3)))
        // Only a few customers work at a shop, and never for long, because staff collect no stamps.
        let member = AccountID(UInt128(number(in: 5..<7)))
        // Nobody can answer an offer that waits for the holder of a number.
        let invitation = world.invitations.values.filter { $0.answer == nil && world.accounts[$0.account] != nil }.map(\.id).max()
        switch number(in: 0..<20) {
        case 0:
            let color: Change<ShopColor> = world.position % 2 == 0 ? .set(.teal) : .removed
            let logo: Change<ImageID> = world.position % 3 == 0 ? .set(ImageID(2)) : .unchanged
            return .editShop(
                EditShop(
                    shop: shop, expected: .any, name: "茶 \(number(in: 0..<99))", images: [ImageID(1)], color: color, logo: logo))
        case 1, 2: return edit()
        case 3: return .inviteStaff(InviteStaff(invitation: InvitationID(name()), shop: shop, account: member))
        case 18:
            // Offers a manager the role of counter staff, and any other account the role of a manager.
            let account = world.shops[shop]?.staff.min() ?? member
            let role: Role = world.shops[shop]?.role(of: account) == .manager ? .counter : .manager
            return .inviteStaff(InviteStaff(invitation: InvitationID(name()), shop: shop, account: account, role: role))
        case 19:
            // Shops close only late in a history, so that most of it has two open shops.
            if world.position > 900, chance(30) { return .closeShop(CloseShop(shop: shop, redeemUntil: now.advanced(bySeconds: 3_600))) }
            let taker = AccountID(UInt128(number(in: 1..<4)))
            return .offerTransfer(OfferTransfer(invitation: InvitationID(name()), shop: shop, account: taker))
        case 4: return .removeStaff(RemoveStaff(shop: shop, account: member))
        case 5: return .leaveShop(LeaveShop(shop: shop))
        case 9:
            return invitation.map {
                chance(80) ? .acceptInvitation(AcceptInvitation(invitation: $0)) : .declineInvitation(DeclineInvitation(invitation: $0))
            }
        case 10: return .muteShop(MuteShop(shop: shop))
        case 11: return .unmuteShop(UnmuteShop(shop: shop))
        case 6: return .suspendShop(SuspendShop(shop: shop, reason: "Sells stamps"))
        case 7: return reverse(in: world)
        case 12, 13: return takeBack(in: world)
        case 16, 17: return give()
        case 14:
            // Prefers a campaign that ended less than a day ago, because only such a campaign may be reopened.
            let ended = (1..<7).map { CampaignID(UInt128($0)) }.filter { world.campaigns[$0]?.endedAt != nil }
            let isRecent = { [now] (campaign: CampaignID) in
                world.campaigns[campaign]?.endedAt.map { now < $0.advanced(bySeconds: 86_400) } ?? false
            }
            return (ended.first(where: isRecent) ?? ended.first).map { .reopenCampaign(ReopenCampaign(campaign: $0)) }
        case 15: return chance(50) ? strip() : destroyCodes(in: world)
        default: return adjust(in: world)
        }
    }

    private mutating func edit() -> Command {
        let (campaign, title, goal) = (CampaignID(UInt128(number(in: 1..<5))), "\(number(in: 0..<99)) cups", number(in: 1..<5))
        var options = CampaignOptionChanges()
        options.milestones = goal > 1 ? .set([Milestone(at: 1, reward: "A cookie")]) : .removed
        return .editCampaign(
            EditCampaign(
                campaign: campaign, expected: .any, title: title, goal: goal, stampsPerDayMax: chance(10) ? .set(20) : .removed,
                minimumGapSeconds: chance(10) ? .set(5) : .removed, options: options))
    }

    private mutating func reverse(in world: World) -> Command? {
        let redeemed = Self.down(from: named, 200).compactMap { world.redemptions[RedemptionID($0)] }.filter { $0.isRedeemed }
        // Chooses the redemption of a milestone half of the time, because milestones are redeemed rarely.
        let milestone = chance(50) ? redeemed.first { $0.milestone != nil } : nil
        return (milestone ?? redeemed.first).map { .reverseRedemption(ReverseRedemption(redemption: $0.id, reason: "Wrong card")) }
    }

    /// Reverses the newest or the oldest used code among the last 40 codes that were issued.
    private mutating func takeBack(in world: World) -> Command? {
        let used = Self.down(from: issued, 40).compactMap { world.codes[CodeID($0)] }.filter(\.isUsed)
        let stamps = chance(50) ? Int(issued % 4) : nil
        return (chance(50) ? used.first : used.last).map { .reverseStamp(ReverseStamp(code: $0.id, stamps: stamps, reason: "Refunded")) }
    }

    private mutating func destroyCodes(in world: World) -> Command? {
        let codes = Self.down(from: issued, 3).map { CodeID($0) }
        guard let code = world.codes[codes[0]] else { return nil }
        return .destroyCodes(DestroyCodes(shop: code.shop, issuer: code.issuer, codes: codes))
    }

    private mutating func adjust(in world: World) -> Command? {
        let cards = Self.down(from: issued, 40).compactMap { world.cards[CardID($0 * 100)] }
        let card = cards.first { $0.status == .full || $0.status == .collecting && chance(50) }
        let stamps = chance(50) ? 1 : -1
        return card.map { .adjustCard(AdjustCard(card: $0.id, expected: .any, stamps: stamps, reason: "Miscounted")) }
    }
}
