/// An event as the act of a shop's people, or of a customer at its counter: what the shop's state may forbid.
enum ShopAct: Hashable, Sendable {
    /// Everything that a shop does while its counter is open.
    case trade(ShopID)
    /// A full card or a milestone and its reward, on the way there and back.
    case redemption(ShopID)
    /// An answer in a thread about the shop; the shop's own if one of its staff gives it.
    case reply(ShopID)

    var shop: ShopID {
        switch self {
        case .trade(let shop), .redemption(let shop), .reply(let shop): shop
        }
    }
}

extension LoyaltyEvent {
    /// The meaning of an event at a shop's counter; `nil` for events that no state of a shop forbids.
    ///
    /// Every event has a line here, so that a new command that makes one cannot bypass the check.
    func act(by actor: AccountID) -> ShopAct? {
        switch self {
        case .shopEdited(let event): .trade(event.shop)
        case .staffAdded(let event): .trade(event.shop)
        case .staffInvited(let event): .trade(event.shop)
        case .staffJoined(let event): .trade(event.shop)
        // A role is raised like an offer is accepted, and lowered like an employment is ended.
        case .roleChanged(let event): event.invitation.map { _ in .trade(event.shop) }
        case .transferOffered(let event): .trade(event.shop)
        case .shopTransferred(let event): .trade(event.shop)
        // Ending work or an offer takes access away and gives none; a suspended shop's owner may need it most.
        case .staffRemoved, .invitationEnded, .employmentEnded: nil
        case .campaignPublished(let event): .trade(event.shop)
        case .campaignEdited(let event): .trade(event.shop)
        case .campaignEnded(let event): .trade(event.shop)
        case .campaignReopened(let event): .trade(event.shop)
        case .codeIssued(let event): .trade(event.shop)
        case .codeDestroyed(let event): .trade(event.shop)
        case .cardOpened(let event): .trade(event.shop)
        case .cardStamped(let event): .trade(event.shop)
        case .noticePosted(let event): event.audience.shop.map { .trade($0) }
        case .noticeScheduled(let event): event.audience.shop.map { .trade($0) }
        // Takes away what would be shown, or only says that it was not.
        case .noticeWithdrawn, .noticeLapsed: nil
        // A suspended shop may correct its mistakes, too.
        case .stampReversed(let event): .redemption(event.shop)
        case .redemptionRequested(let event): .redemption(event.shop)
        case .cardRedeemed(let event): .redemption(event.shop)
        case .redemptionReversed(let event): .redemption(event.shop)
        case .milestoneRequested(let event): .redemption(event.shop)
        case .milestoneRedeemed(let event): .redemption(event.shop)
        case .milestoneReversed(let event): .redemption(event.shop)
        case .replyPosted(let event): .reply(event.shop)
        // An operator's acts.
        case .shopSuspended, .shopReinstated, .cardAdjusted: nil
        // Takes away what is shown and gives nothing: a suspended shop's owner may, too.
        case .imageTakenDown: nil
        // No state of a shop keeps its owner from closing it.
        case .shopClosed: nil
        // People's own, and operators' acts on them.
        case .accountRegistered, .profileEdited, .passwordSet, .passwordRemoved, .accountErased: nil
        case .phoneChanged, .phoneChangeRequested, .phoneChangeEnded, .accountSuspended, .accountReinstated, .accountSearched: nil
        case .sessionStarted, .sessionRefreshed, .sessionEnded, .shopMuted, .shopUnmuted: nil
        // Time's.
        case .cardExpired, .cardReminded: nil
        case .shopOpened, .cardDiscarded, .reviewPosted, .reviewRemoved, .noticeRead, .feedbackGiven, .favoriteAdded, .favoriteRemoved:
            nil
        }
    }
}

/// Whether a shop's counter is open.
enum ShopStanding: Hashable, Sendable {
    case open
    /// An operator has closed it: what is full is still redeemed, and nothing else happens.
    case suspended
    /// It has closed, and full cards are redeemed until the date that the closing named.
    case closing
    /// The date of its closing has passed, or its owner was erased before closings were recorded. Nobody acts for it any more.
    case closed

    init(_ shop: Shop, owner: Account?, at now: Instant) {
        if shop.closing != nil {
            self = shop.handsOutRewards(at: now) ? .closing : .closed
        } else {
            self = owner == nil ? .closed : shop.isSuspended ? .suspended : .open
        }
    }

    /// Whether the shop's state allows the act.
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
    /// The reason why a shop's state forbids the decided events, or `nil`. It is checked after the decision: an actor whom the rules refuse
    /// anyway gets that refusal, and learns nothing about the shop.
    func refusal<P: Past>(
        of events: [LoyaltyEvent], in past: inout P, by actor: AccountID, at now: Instant
    ) throws(P.Failure) -> Rejection? {
        switch self {
        // Events that end along with an account or a shop are no acts for the shop, so that no state of it prevents the end.
        case .eraseAccount, .closeShop: return nil
        // It looks at the shop itself: a notice that may not appear lapses.
        case .publishNotice: return nil
        default: break
        }
        var asked: ShopAct?
        for event in events {
            guard let act = event.act(by: actor), act != asked else { continue }
            asked = act
            guard let shop = try past.shop(act.shop) else { continue }
            let standing = ShopStanding(shop, owner: try past.account(shop.owner), at: now)
            if !standing.allows(act, byItsPeople: shop.employs(actor)) { return standing == .suspended ? .suspended : .shopClosed }
        }
        return nil
    }
}
