import Loyalty
import World

/// Random commands that chance alone seldom makes valid, because several conditions must hold at once.
extension Mischief {
    /// A kind of command that is rarely valid. Of the kinds that were chosen least often, `seldom(in:)` prefers the one that is declared
    /// first.
    enum Seldom: CaseIterable {
        case offerShop, takeBackFromPaper, reopen, changeRole, schedule, withdraw, publish, lapse
        case changePhone, requestPhone, object, suspend, reinstate
        case search, reward, reverseReward, letCardsEnd, remind, expire, share, redeemElsewhere, takeBackElsewhere, paperElsewhere
        case lapseTransfer, takeOver
        case name, offerToNumber, takeOffer
    }

    /// Returns a command of the kind that was chosen least often so far, among the kinds whose preconditions hold. Objects are taken in the
    /// order of their ids, so that the same seed gives the same history.
    mutating func seldom(in world: World) -> Step? {
        let kinds = Seldom.allCases.enumerated().sorted {
            (chosen[$0.element, default: 0], $0.offset) < (chosen[$1.element, default: 0], $1.offset)
        }
        for (_, kind) in kinds {
            guard let step = step(of: kind, in: world) else { continue }
            chosen[kind, default: 0] += 1
            return step
        }
        return nil
    }

    private mutating func step(of kind: Seldom, in world: World) -> Step? {
        switch kind {
        case .takeBackFromPaper: takeBackFromPaper(in: world)
        case .reopen: reopen(in: world)
        case .changeRole: changeRole(in: world)
        case .schedule: schedule(in: world)
        case .withdraw:
            scheduled(in: world).first { now < $0.postedAt }.map { step(.withdrawNotice(WithdrawNotice(notice: $0.id)), by: $0.author) }
        case .publish:
            scheduled(in: world).first { $0.postedAt <= now }.map { step(.publishNotice(PublishNotice(notice: $0.id)), by: .system) }
        case .lapse: lapse(in: world)
        case .changePhone: changePhone(in: world)
        case .requestPhone, .object: requestedPhone(kind, in: world)
        case .suspend, .reinstate: standing(kind, in: world)
        case .search: step(.noteSearch(NoteSearch(found: AccountID(5))), by: AccountID(4))
        case .reward: reward(in: world)
        case .reverseReward: reverseReward(in: world)
        case .letCardsEnd: letCardsEnd(in: world)
        case .remind, .expire: age(kind, in: world)
        case .share: share(in: world)
        case .redeemElsewhere: redeemElsewhere(in: world)
        case .takeBackElsewhere: takeBackElsewhere(in: world)
        case .paperElsewhere: paperElsewhere(in: world)
        case .offerShop: offerShop(in: world)
        case .lapseTransfer: lapseTransfer(in: world)
        case .takeOver: takeOver(in: world)
        case .name: name(in: world)
        case .offerToNumber: offerToNumber(in: world)
        case .takeOffer: takeOffer(in: world)
        }
    }

    /// The owner names one of the shop's people, or takes the name away.
    private func name(in world: World) -> Step? {
        guard let shop = world.shops.keys.sorted().lazy.compactMap({ open($0, in: world) }).first else { return nil }
        let member = shop.staff.min() ?? shop.owner
        let label: TypedText = world.position % 3 == 0 ? "" : .clear("阿美 \(world.position)")
        return step(.labelStaff(LabelStaff(shop: shop.id, account: member, label: label)), by: shop.owner)
    }

    /// An owner offers work to a number without an account.
    private func offerToNumber(in world: World) -> Step? {
        guard let shop = world.shops.keys.sorted().lazy.compactMap({ open($0, in: world) }).first else { return nil }
        let number = UInt128(world.position) + 1 << 100
        let offer = InviteStaff(invitation: InvitationID(number), shop: shop.id, account: AccountID(number), role: .manager)
        return step(.inviteStaff(offer), by: shop.owner)
    }

    /// An account takes the oldest offer that waits for a number.
    private func takeOffer(in world: World) -> Step? {
        let waiting = world.invitations.values.filter { world.accounts[$0.account] == nil && $0.answer == nil && $0.role < .owner }
        let open = waiting.filter { offer in world.shops[offer.shop].map { offer.status(at: now, of: $0) == .open } ?? false }
        guard let offer = open.min(by: { $0.id < $1.id }), let shop = world.shops[offer.shop] else { return nil }
        let takers = world.accounts.values.filter { !$0.isErased && !$0.isSuspended && !shop.employs($0.id) }.map(\.id)
        return takers.filter { shop.offers[$0] == nil }.min().map {
            step(.takeWaitingOffer(TakeWaitingOffer(invitation: offer.id)), by: $0)
        }
    }

    /// An account takes over the first card of a person who never registered.
    private func takeOver(in world: World) -> Step? {
        let waiting = world.cards.values.filter { world.accounts[$0.holder] == nil && ($0.status == .collecting || $0.status == .full) }
        guard let card = waiting.min(by: { $0.id < $1.id }) else { return nil }
        let accounts = world.accounts.values.filter { !$0.isErased && !$0.isSuspended }.map(\.id).sorted()
        let taker = accounts.first { world.collectingCard(of: $0, in: card.campaign) != nil } ?? accounts.last
        return taker.map { step(.takeWaitingCard(TakeWaitingCard(card: card.id)), by: $0) }
    }

    func step(_ command: Command, by actor: AccountID) -> Step { Step(command: command, actor: actor, at: now) }

    /// Returns the shop if its owner can act for it; nil if the shop is unknown, suspended or closed, or if its owner was erased.
    func open(_ shop: ShopID, in world: World) -> Shop? {
        world.shops[shop].flatMap { shop in
            shop.isSuspended || shop.closing != nil || world.accounts[shop.owner]?.isErased != false ? nil : shop
        }
    }

    private func takeBackFromPaper(in world: World) -> Step? {
        for paper in world.papers.values.filter({ $0.holder == nil }).sorted(by: { $0.name.id < $1.name.id }) {
            guard let code = paper.waiting.last?.code, let shop = world.codes[code].flatMap({ open($0.shop, in: world) }) else { continue }
            return step(.reverseStamp(ReverseStamp(code: code, reason: "Wrong paper")), by: shop.owner)
        }
        return nil
    }

    /// Reopens a campaign that was ended early. If there is none, it first ends a campaign that other commands rarely use, and reopens that
    /// one with the next command.
    private mutating func reopen(in world: World) -> Step? {
        let campaigns = world.campaigns.values.filter { now < $0.endsAt }.sorted { $0.id > $1.id }
        for campaign in campaigns {
            guard let endedAt = campaign.endedAt, now < endedAt.advanced(bySeconds: 86_400), let shop = open(campaign.shop, in: world)
            else { continue }
            return step(.reopenCampaign(ReopenCampaign(campaign: campaign.id)), by: shop.owner)
        }
        guard let campaign = campaigns.first(where: { $0.endedAt == nil && $0.id.value >= 4 }), let shop = open(campaign.shop, in: world)
        else { return nil }
        following = (.reopenCampaign(ReopenCampaign(campaign: campaign.id)), shop.owner)
        return step(.endCampaign(EndCampaign(campaign: campaign.id)), by: shop.owner)
    }

    /// Offers a manager the role of counter staff.
    private mutating func changeRole(in world: World) -> Step? {
        for shop in world.shops.values.sorted(by: { $0.id < $1.id }) {
            guard let shop = open(shop.id, in: world), let manager = shop.staff.sorted().first(where: { shop.role(of: $0) == .manager })
            else { continue }
            let lowered = InviteStaff(invitation: InvitationID(name()), shop: shop.id, account: manager, role: .counter)
            return step(.inviteStaff(lowered), by: shop.owner)
        }
        return nil
    }

    private func scheduled(in world: World) -> [Notice] {
        world.notices.values.filter { $0.status == .scheduled }.sorted { $0.id < $1.id }
    }

    private mutating func schedule(in world: World) -> Step? {
        guard let shop = open(ShopID(UInt128(number(in: 1..<3))), in: world) else { return nil }
        let notice = PostNotice(
            notice: NoticeID(name()), audience: .shop(shop.id), title: Sealed([5]), text: Sealed([6]),
            publishAt: now.advanced(bySeconds: Int64(number(in: 60..<1_800))))
        return step(.postNotice(notice), by: shop.owner)
    }

    /// Suspends a shop that has a due notice. The next command tries to publish that notice, which then lapses.
    private mutating func lapse(in world: World) -> Step? {
        guard let notice = scheduled(in: world).first(where: { $0.postedAt <= now }), let shop = notice.audience.shop else { return nil }
        following = (.publishNotice(PublishNotice(notice: notice.id)), .system)
        return step(.suspendShop(SuspendShop(shop: shop, reason: "Sells stamps")), by: AccountID(4))
    }

    /// Offers a shop to one of two accounts, if no shop is offered.
    private mutating func offerShop(in world: World) -> Step? {
        guard !world.shops.values.contains(where: { $0.transfer != nil }),
            let shop = open(ShopID(2), in: world) ?? open(ShopID(1), in: world)
        else { return nil }
        let taker = shop.owner == AccountID(1) ? AccountID(2) : AccountID(1)
        return step(.offerTransfer(OfferTransfer(invitation: InvitationID(name()), shop: shop.id, account: taker)), by: shop.owner)
    }

    /// Records the lapse of a shop's offer. Moves the clock to the end of an offer at most once, and by few days, because a campaign lasts
    /// only twenty days.
    private mutating func lapseTransfer(in world: World) -> Step? {
        let offers = world.shops.values.sorted { $0.id < $1.id }.compactMap { shop in shop.transfer.map { (shop.id, $0.expiresAt) } }
        if let (shop, _) = offers.first(where: { $0.1 <= now }) { return step(.lapseTransfer(LapseTransfer(shop: shop)), by: .system) }
        guard chosen[.lapseTransfer, default: 0] == 0, let (shop, end) = offers.first, end <= now.advanced(bySeconds: 5 * 86_400)
        else { return nil }
        now = end
        return step(.lapseTransfer(LapseTransfer(shop: shop)), by: .system)
    }

    /// Changes an account's number to a random one. The random byte in the sealed number shows which number the account has.
    private mutating func changePhone(in world: World) -> Step? {
        guard let account = world.account(AccountID(5)) else { return nil }
        let sealed = Sealed([8, UInt8(number(in: 0..<200))])
        return step(.changePhone(ChangePhone(sealedPhone: sealed, replacing: account.sealedPhone(at: now), keeping: nil)), by: account.id)
    }

    private mutating func requestedPhone(_ kind: Seldom, in world: World) -> Step? {
        let account = AccountID(6)
        let isComing = world.account(account)?.comingPhone.map { !$0.holds(at: now) } ?? false
        if kind == .object { return isComing ? step(.objectToPhoneChange(ObjectToPhoneChange()), by: account) : nil }
        let sealed = Sealed([9, UInt8(number(in: 0..<200))])
        return step(.requestPhoneChange(RequestPhoneChange(account: account, sealedPhone: sealed, reason: "Lost")), by: AccountID(4))
    }

    private func standing(_ kind: Seldom, in world: World) -> Step? {
        let suspended = world.accounts.values.filter(\.isSuspended).map(\.id).min()
        switch (kind, suspended) {
        case (.reinstate, let account?): return step(.reinstateAccount(ReinstateAccount(account: account, reason: "")), by: AccountID(4))
        case (.suspend, nil): return step(.suspendAccount(SuspendAccount(account: AccountID(3), reason: "Sells stamps")), by: AccountID(4))
        default: return nil
        }
    }

    /// Requests the reward of a milestone. The next command hands the reward out.
    private mutating func reward(in world: World) -> Step? {
        for card in world.cards.values.sorted(by: { $0.id > $1.id }) {
            let milestone = card.terms.milestones.first { $0.at <= card.stamps && card.redeemedAt(milestone: $0.at) == nil }
            guard let milestone, [.collecting, .full].contains(card.status(at: now)), world.account(card.holder)?.isSuspended == false,
                let shop = open(card.shop, in: world), !shop.employs(card.holder)
            else { continue }
            let id = name()
            following = (.redeem(Redeem(secret: Secret(id), shop: place(in: card.campaign, of: world))), shop.owner)
            let request = RequestRedemption(
                redemption: RedemptionID(id), card: card.id, milestone: milestone.at, secret: Secret(id), attempt: 0)
            return step(.requestRedemption(request), by: card.holder)
        }
        return nil
    }

    private func reverseReward(in world: World) -> Step? {
        let given = world.redemptions.values.filter { $0.milestone != nil && $0.isRedeemed && !$0.isReversed }
        for redemption in given.sorted(by: { $0.id > $1.id }) {
            guard let shop = open(redemption.shop, in: world) else { continue }
            return step(.reverseRedemption(ReverseRedemption(redemption: redemption.id, reason: "Wrong card")), by: shop.owner)
        }
        return nil
    }

    private func letCardsEnd(in world: World) -> Step? {
        guard let campaign = world.campaigns[CampaignID(2)], let shop = open(campaign.shop, in: world) else { return nil }
        var options = CampaignOptionChanges()
        options.cardValidDays = .set(3)
        return step(.editCampaign(EditCampaign(campaign: campaign.id, expected: .any, options: options)), by: shop.owner)
    }

    /// Moves the clock to the end or the reminder of a card, and records that end or reminder. Does so at most twice for each kind, because
    /// each time days pass, and a campaign lasts only twenty days.
    private mutating func age(_ kind: Seldom, in world: World) -> Step? {
        guard chosen[kind, default: 0] < 2 else { return nil }
        let ending = world.cards.values.filter { $0.terms.expiresAt != nil && ($0.status == .collecting || $0.status == .full) }
        for card in ending.sorted(by: { $0.id < $1.id }) {
            guard let end = card.terms.expiresAt, now < end, world.account(card.holder) != nil else { continue }
            if kind == .expire {
                now = end
            } else {
                guard !card.history.contains(where: { $0.kind == .reminded }), let due = card.terms.reminders(openedAt: card.openedAt).last
                else { continue }
                now = max(now, due.dueAt)
            }
            return step(.ageCard(AgeCard(card: card.id, notice: NoticeID(name()))), by: .system)
        }
        return nil
    }
}
