/// The kind of activity at a shop that an event records, with the shop. The shop's state may forbid some kinds.
enum ShopAct: Hashable, Sendable {
    /// Anything that a shop does only while it is neither suspended nor closed.
    case trade(ShopID)
    /// A code for a reward is requested, a reward is handed out or taken back, stamps are taken back, or an account takes a paper card with
    /// waiting codes.
    case redemption(ShopID)
    /// A reply in a thread about the shop. A reply by the shop's owner or staff is a reply of the shop itself.
    case reply(ShopID)

    var shop: ShopID {
        switch self {
        case .trade(let shop), .redemption(let shop), .reply(let shop): shop
        }
    }

    /// The same kind of activity, at another shop.
    func moved(to shop: ShopID) -> ShopAct {
        switch self {
        case .trade: .trade(shop)
        case .redemption: .redemption(shop)
        case .reply: .reply(shop)
        }
    }
}

extension LoyaltyEvent {
    /// The activity that an event records; `nil` for events that no state of a shop forbids.
    ///
    /// The switch lists every event, so that a new command cannot bypass the check by a new event.
    func act(by actor: AccountID) -> ShopAct? {
        switch self {
        case .shopEdited(let event): .trade(event.shop)
        case .staffAdded(let event): .trade(event.shop)
        case .staffInvited(let event): .trade(event.shop)
        case .staffJoined(let event): .trade(event.shop)
        // A role is raised by an accepted offer, which counts as trade. Lowering a role only takes access away.
        case .roleChanged(let event): event.invitation.map { _ in .trade(event.shop) }
        case .transferOffered(let event): .trade(event.shop)
        case .shopTransferred(let event): .trade(event.shop)
        // These events end an employment or an offer, so they only take access away. They are allowed in any state of the shop, because
        // the owner of a suspended shop may need them most.
        case .staffRemoved, .invitationEnded, .employmentEnded: nil
        case .campaignPublished(let event): .trade(event.shop)
        case .campaignEdited(let event): .trade(event.shop)
        case .campaignEnded(let event): .trade(event.shop)
        case .campaignReopened(let event): .trade(event.shop)
        case .codeIssued(let event): .trade(event.shop)
        case .codeDestroyed(let event): .trade(event.shop)
        case .paperCardsPrinted(let event): .trade(event.shop)
        case .paperStamped(let event): .trade(event.shop)
        case .paperCardTaken(let event): .trade(event.shop)
        case .cardOpened(let event): .trade(event.shop)
        case .cardStamped(let event): .trade(event.shop)
        case .noticePosted(let event): event.audience.shop.map { .trade($0) }
        case .noticeScheduled(let event): event.audience.shop.map { .trade($0) }
        // These events withdraw a notice, or record that it did not appear, so no state of the shop forbids them.
        case .noticeWithdrawn, .noticeLapsed: nil
        // The event only records that the time of an offer is over.
        case .transferLapsed: nil
        // A suspended shop may also correct its mistakes, so taking stamps back counts as redemption and not as trade.
        case .stampReversed(let event): .redemption(event.shop)
        case .paperStampReversed(let event): .redemption(event.shop)
        case .redemptionRequested(let event): .redemption(event.shop)
        case .cardRedeemed(let event): .redemption(event.shop)
        case .redemptionReversed(let event): .redemption(event.shop)
        case .milestoneRequested(let event): .redemption(event.shop)
        case .milestoneRedeemed(let event): .redemption(event.shop)
        case .milestoneReversed(let event): .redemption(event.shop)
        case .replyPosted(let event): .reply(event.shop)
        // Only operators cause these events.
        case .shopSuspended, .shopReinstated, .cardAdjusted: nil
        // The event only removes a picture. So it is allowed in any state of the shop, and the owner of a suspended shop may also cause it.
        case .imageTakenDown: nil
        // An owner can close an open or suspended shop. The decision itself refuses to close a shop twice.
        case .shopClosed: nil
        // These events are about an account and are no activity of a shop.
        case .accountRegistered, .profileEdited, .passwordSet, .passwordRemoved, .accountErased: nil
        case .phoneChanged, .phoneChangeRequested, .phoneChangeEnded, .accountSuspended, .accountReinstated, .accountSearched: nil
        case .sessionStarted, .sessionRefreshed, .sessionEnded, .shopMuted, .shopUnmuted: nil
        // These events only record that the time of a card is over, or soon will be.
        case .cardExpired, .cardReminded: nil
        // The stamps were given before, so the shop's present state does not matter.
        case .waitingCardTaken: nil
        case .shopOpened, .cardDiscarded, .reviewPosted, .reviewRemoved, .noticeRead, .feedbackGiven, .favoriteAdded, .favoriteRemoved:
            nil
        }
    }
}

/// The state of a shop that decides which of its activities are allowed.
enum ShopStanding: Hashable, Sendable {
    case open
    /// An operator has suspended the shop. Of the kinds in ``ShopAct``, redemptions are allowed, and replies of people who do not work for
    /// the shop.
    case suspended
    /// The shop has closed. Until the date that the closing named, the same activities are allowed as at a suspended shop.
    case closing
    /// The date that the shop's closing named has passed, or the shop's owner was erased by an older release, which did not record
    /// closings. The shop's people can do nothing for the shop any more.
    case closed

    init(_ shop: Shop, owner: Account?, at now: Instant) {
        if shop.closing != nil {
            self = shop.handsOutRewards(at: now) ? .closing : .closed
        } else {
            self = owner == nil ? .closed : shop.isSuspended ? .suspended : .open
        }
    }

    /// Whether a shop in this state allows the activity.
    func allows(_ act: ShopAct, byItsPeople: Bool) -> Bool {
        switch (self, act) {
        case (.open, _): true
        case (.suspended, .redemption), (.closing, .redemption): true
        case (_, .reply): !byItsPeople
        case (.suspended, .trade), (.closing, .trade), (.closed, _): false
        }
    }
}

extension Command {
    /// Whether the events give an account the stamps of the waiting codes on a paper card. The customer earned these stamps earlier, so
    /// they are given for as long as rewards are handed out.
    private func takesWhatWaited(_ events: [LoyaltyEvent]) -> Bool {
        guard case .takePaper = self else { return false }
        return events.contains { if case .paperCardTaken(let taken) = $0 { taken.stamps > 0 } else { false } }
    }

    /// The reason why a shop's state forbids the decided events, or `nil`. The state is checked after the decision, so that an actor whom
    /// the rules reject anyway learns nothing about the shop's state.
    func refusal<P: Past>(
        of events: [LoyaltyEvent], in past: inout P, by actor: AccountID, at now: Instant
    ) throws(P.Failure) -> Rejection? {
        switch self {
        // Erasing an account or closing a shop also ends campaigns and employments. Those events are no activity of the shop, so no state
        // of the shop forbids them.
        case .eraseAccount, .closeShop: return nil
        // The decision of ``PublishNotice`` checks the shop itself: if the notice must not appear, the decision records that the notice
        // lapsed.
        case .publishNotice: return nil
        default: break
        }
        let handsOut = takesWhatWaited(events)
        var asked: ShopAct?
        for event in events {
            guard let own = event.act(by: actor) else { continue }
            // The customer earned the stamps of waiting codes earlier, so only the state of the campaign's own shop matters for them.
            let act = handsOut ? .redemption(event.home ?? own.shop) : own
            guard act != asked else { continue }
            asked = act
            if let refusal = try refusal(of: act, in: &past, by: actor, at: now) {
                // People of the campaign's own shop may also take back what another shop gave. Only a closed shop refuses that.
                guard event.takesBack, let home = event.home, try past.shop(home)?.employs(actor) == true else { return refusal }
            }
            // If the activity happens at another shop, the campaign's own shop must also allow it.
            guard !handsOut, let home = event.home else { continue }
            if let refusal = try refusal(of: act.moved(to: home), in: &past, by: actor, at: now) { return refusal }
        }
        return nil
    }

    private func refusal<P: Past>(
        of act: ShopAct, in past: inout P, by actor: AccountID, at now: Instant
    ) throws(P.Failure) -> Rejection? {
        guard let shop = try past.shop(act.shop) else { return nil }
        let standing = ShopStanding(shop, owner: try past.account(shop.owner), at: now)
        guard !standing.allows(act, byItsPeople: shop.employs(actor)) else { return nil }
        return standing == .suspended ? .suspended : .shopClosed
    }
}
