import Loyalty
import World

/// Actions of owners and operators away from the counter: edits, staff, reversals, adjustments and suspensions.
extension RandomHistory {
    mutating func office() {
        // A suspended shop is reinstated at the next call, because no stamps are collected there meanwhile.
        if let closed = shops.first(where: { world.shops[$0]?.isSuspended == true }) {
            run(.reinstateShop(ReinstateShop(shop: closed, reason: "")), by: owners[0])
        }
        let index = Int.random(in: shops.indices, using: &random)
        let (shop, owner) = (shops[index], owners[index])
        switch Int.random(in: 0..<12, using: &random) {
        case 0: editShop(shop, by: owner)
        case 1, 2: editCampaign()
        case 3: invite(to: shop, by: owner)
        case 4: dismiss(from: shop, by: owner)
        case 5: run(.suspendShop(SuspendShop(shop: shop, reason: "Sells stamps")), by: owners[0])
        case 6, 7: reverse()
        case 8: mute(shop)
        default: adjust()
        }
    }

    private mutating func editShop(_ shop: ShopID, by owner: AccountID) {
        let images = (0..<Int.random(in: 0..<4, using: &random)).map { _ in ImageID(id()) }
        run(.editShop(EditShop(shop: shop, expected: .any, name: "茶 \(facts.count)", images: images)), by: owner)
    }

    private mutating func editCampaign() {
        let campaign = campaigns.randomElement(using: &random)!
        guard let owner = world.campaigns[campaign].flatMap({ world.shops[$0.shop]?.owner }) else { return }
        let isCapped = Int.random(in: 0..<4, using: &random) == 0
        let edit = EditCampaign(
            campaign: campaign, expected: .any, goal: Int.random(in: 2...10, using: &random), image: .set(ImageID(id())),
            stampsPerDayMax: isCapped ? .set(10) : .removed, minimumGapSeconds: isCapped ? .set(60) : .removed,
            options: options(of: campaign))
        run(.editCampaign(edit), by: owner)
    }

    /// Sets or removes welcome stamps, a limit of cards, a last day for redemptions and bonus hours. Without `takesBack` it changes none of
    /// them, because older fixtures were made before these options existed.
    private mutating func options(of campaign: CampaignID) -> CampaignOptionChanges {
        var changes = CampaignOptionChanges()
        guard takesBack else { return changes }
        let end = world.campaigns[campaign]?.endsAt ?? now
        changes.welcomeStamps = Bool.random(using: &random) ? .set(1) : .removed
        changes.repeats = Int.random(in: 0..<3, using: &random) == 0 ? .set(4) : .removed
        changes.redeemUntil = Bool.random(using: &random) ? .set(end.advanced(bySeconds: 86_400)) : .removed
        // No random number is drawn for the bonus hours, so that all later draws stay as they were. The histories begin on a Wednesday at
        // six in the morning, when the first bonus hours begin.
        let morning = BonusHours(days: .all, fromMinute: 360, toMinute: 500, factor: 2)
        let night = BonusHours(days: Weekdays(rawValue: 0x15), fromMinute: 1_380, toMinute: 90, factor: 3)
        changes.bonuses = world.position % 3 == 0 ? .removed : .set([morning, night])
        return changes
    }

    private mutating func dismiss(from shop: ShopID, by owner: AccountID) {
        guard let member = world.shops[shop]?.staff.sorted().randomElement(using: &random) else { return }
        if Bool.random(using: &random) { run(.leaveShop(LeaveShop(shop: shop)), by: member) }
        run(.removeStaff(RemoveStaff(shop: shop, account: member)), by: owner)
    }

    /// Invites an account to the staff of a shop. Usually the account accepts; otherwise it declines, or the owner withdraws the
    /// invitation. An account that already belongs to the staff is offered a higher role or gets a lower one.
    private mutating func invite(to shop: ShopID, by owner: AccountID) {
        let (member, invitation) = (customers.randomElement(using: &random)!, InvitationID(id()))
        let staff = world.shops[shop]?.staff.sorted() ?? []
        // The choice is derived from the invitation's id, not from a new random number, so that all later draws stay as they were.
        let isInside = hasRoles && invitation.value & 6 == 0
        let account = isInside ? staff.last ?? member : member
        let role: Role? = hasRoles ? (invitation.value & 1 == 0 ? .manager : .counter) : nil
        run(.inviteStaff(InviteStaff(invitation: invitation, shop: shop, account: account, role: role)), by: owner)
        switch Int.random(in: 0..<6, using: &random) {
        case 0: run(.declineInvitation(DeclineInvitation(invitation: invitation)), by: account)
        case 1: run(.withdrawInvitation(WithdrawInvitation(shop: shop, invitation: invitation)), by: owner)
        default: run(.acceptInvitation(AcceptInvitation(invitation: invitation)), by: account)
        }
    }

    /// A customer mutes a shop, or unmutes it if it is muted. Only four customers do so, so that both happen. Sometimes the shop then posts
    /// a notice.
    private mutating func mute(_ shop: ShopID) {
        let customer = customers.prefix(4).randomElement(using: &random)!
        let isMuted = world.mutes.contains(Mute(account: customer, shop: shop))
        run(isMuted ? .unmuteShop(UnmuteShop(shop: shop)) : .muteShop(MuteShop(shop: shop)), by: customer)
        guard Bool.random(using: &random), let owner = world.shops[shop]?.owner else { return }
        let notice = PostNotice(notice: NoticeID(id()), audience: .shop(shop), title: Sealed([1]), text: Sealed([2]))
        run(.postNotice(notice), by: owner)
    }

    /// Posts a notice, often a scheduled one, to the shop's customers or to the holders of a campaign's cards. Sometimes withdraws a
    /// scheduled one instead.
    mutating func plan() {
        if Int.random(in: 0..<5, using: &planning) == 0, let planned = planned.randomElement(using: &planning) {
            guard let author = world.notices[planned.notice]?.author else { return }
            run(.withdrawNotice(WithdrawNotice(notice: planned.notice)), by: author)
            return
        }
        let campaign = campaigns.randomElement(using: &planning)!
        guard let shop = world.campaigns[campaign]?.shop, let owner = world.shops[shop]?.owner else { return }
        let audience: NoticeAudience = Bool.random(using: &planning) ? .holders(campaign, of: shop) : .shop(shop)
        let at = Bool.random(using: &planning) ? now.advanced(bySeconds: Int64.random(in: 1...900, using: &planning)) : nil
        let notice = NoticeID(plannedID())
        let (title, text) = (Sealed([3]), Sealed([4]))
        let events = run(
            .postNotice(PostNotice(notice: notice, audience: audience, title: title, text: text, publishAt: at)), by: owner)
        if let at, !events.isEmpty { planned.append((notice, at)) }
    }

    /// A customer claims a coupon, possibly a second time. A shop without a coupon campaign publishes one first.
    mutating func claim() {
        if coupons.count < shops.count, let owner = world.shops[shops[coupons.count]]?.owner {
            let campaign = CampaignID(claimedID())
            let terms = CampaignTerms<String>(
                title: "Welcome", details: "", goal: 0, reward: "One free cup 免费", startsAt: now,
                endsAt: now.advanced(bySeconds: 1_000 * 86_400))
            let events = run(
                .publishCampaign(PublishCampaign(campaign: campaign, shop: shops[coupons.count], kind: .coupon, terms: terms)), by: owner)
            if !events.isEmpty { coupons.append(campaign) }
        }
        guard let campaign = coupons.randomElement(using: &claiming) else { return }
        run(
            .claimCoupon(ClaimCoupon(campaign: campaign, card: CardID(claimedID()))),
            by: customers.randomElement(using: &claiming)!)
    }

    private mutating func reverse() {
        let redeemed = world.redemptions.values.filter { $0.isRedeemed && !$0.isReversed }.sorted { $0.id < $1.id }
        guard let redemption = redeemed.randomElement(using: &random), let owner = world.shops[redemption.shop]?.owner else { return }
        run(.reverseRedemption(ReverseRedemption(redemption: redemption.id, reason: "Wrong card")), by: owner)
    }

    /// Usually reverses the stamps of a recently used code. Sometimes ends a campaign and reopens it instead.
    mutating func takeBack() {
        guard Int.random(in: 0..<10, using: &random) > 0 else { return endAndReopen() }
        let stamps = facts.suffix(60).compactMap { fact -> CardStamped? in
            if case .cardStamped(let event) = fact.event { event } else { nil }
        }
        guard let stamp = stamps.randomElement(using: &random), let owner = world.shops[stamp.shop]?.owner else { return }
        // A part for some of the codes, without a random number more.
        let part = stamp.stamps > 1 && world.position % 3 > 0 ? 1 : Int?.none
        run(.reverseStamp(ReverseStamp(code: stamp.code, stamps: part, reason: "Refunded")), by: owner)
    }

    private mutating func endAndReopen() {
        let campaign = campaigns.randomElement(using: &random)!
        guard let owner = world.campaigns[campaign].flatMap({ world.shops[$0.shop]?.owner }) else { return }
        run(.endCampaign(EndCampaign(campaign: campaign)), by: owner)
        run(.reopenCampaign(ReopenCampaign(campaign: campaign)), by: owner)
    }

    private mutating func adjust() {
        guard let card = world.cards.values.sorted(by: { $0.id < $1.id }).randomElement(using: &random) else { return }
        let stamps = Int.random(in: -2...2, using: &random)
        run(.adjustCard(AdjustCard(card: card.id, expected: .any, stamps: stamps, reason: "Miscounted")), by: owners[0])
    }
}
