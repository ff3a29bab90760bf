/// An activity at a shop that the shop's state may forbid. `events.proto` assigns the kinds to events.
struct ShopAct: Hashable, Sendable {
    enum Kind: Hashable, Sendable {
        /// Only while neither suspended nor closed.
        case trade
        /// Rewards, reversals, and taking a paper card with waiting codes. Suspended shops may correct mistakes.
        case redemption
        case reply
    }

    var kind: Kind
    var shop: ShopID
}

extension LoyaltyEvent {
    /// `nil` for events that no state of a shop forbids.
    var act: ShopAct? {
        // An accepted offer raises a role; lowering one only takes access away.
        if case .roleChanged(let event) = self, event.invitation == nil { return nil }
        guard let actKind, let shop else { return nil }
        return ShopAct(kind: actKind, shop: shop)
    }
}

enum ShopStanding: Hashable, Sendable {
    case open
    /// Allows redemptions, and replies of strangers.
    case suspended
    /// Like ``suspended``, until the date that the closing named.
    case closing
    /// The closing's date has passed, or an older release erased the owner without recording a closing.
    case closed

    init(_ shop: Shop, owner: Account?, at now: Instant) {
        if shop.closing != nil {
            self = shop.handsOutRewards(at: now) ? .closing : .closed
        } else {
            self = owner == nil ? .closed : shop.isSuspended ? .suspended : .open
        }
    }

    func allows(_ act: ShopAct.Kind, byItsPeople: Bool) -> Bool {
        switch (self, act) {
        case (.open, _): true
        case (.suspended, .redemption), (.closing, .redemption): true
        case (_, .reply): !byItsPeople
        case (.suspended, .trade), (.closing, .trade), (.closed, _): false
        }
    }
}

extension Command {
    /// The customer earned these stamps earlier, so they are given while rewards are.
    private func takesWhatWaited(_ events: [LoyaltyEvent]) -> Bool {
        guard case .takePaper = self else { return false }
        return events.contains { if case .paperCardTaken(let taken) = $0 { taken.stamps > 0 } else { false } }
    }

    /// Checked after the decision, so that a rejected actor learns nothing about the shop's state.
    ///
    /// The decided events are judged and not the command, so that a new command cannot bypass the shop's state.
    func refusal<P: Past>(
        of events: [LoyaltyEvent], in past: inout P, by actor: AccountID, at now: Instant
    ) throws(P.Failure) -> Rejection? {
        switch self {
        // The ends of campaigns and employments in these commands are no activity of the shop.
        case .eraseAccount, .closeShop: return nil
        // ``PublishNotice`` checks the shop itself, and records a lapse.
        case .publishNotice: return nil
        default: break
        }
        let handsOut = takesWhatWaited(events)
        var asked: ShopAct?
        for event in events {
            guard let own = event.act else { continue }
            // For waiting codes, only the state of the campaign's own shop matters.
            let act = handsOut ? ShopAct(kind: .redemption, shop: event.home ?? own.shop) : own
            guard act != asked else { continue }
            asked = act
            if let refusal = try refusal(of: act, in: &past, by: actor, at: now) {
                // The campaign's own shop may take back what another shop gave.
                guard event.takesBack, let home = event.home, try past.shop(home)?.employs(actor) == true else { return refusal }
            }
            // The campaign's own shop must allow it too.
            guard !handsOut, let home = event.home else { continue }
            if let refusal = try refusal(of: ShopAct(kind: act.kind, shop: home), in: &past, by: actor, at: now) { return refusal }
        }
        return nil
    }

    private func refusal<P: Past>(of act: ShopAct, in past: inout P, by actor: AccountID, at now: Instant) throws(P.Failure) -> Rejection? {
        guard let shop = try past.shop(act.shop) else { return nil }
        let standing = ShopStanding(shop, owner: try past.account(shop.owner), at: now)
        guard !standing.allows(act.kind, byItsPeople: shop.employs(actor)) else { return nil }
        return standing == .suspended ? .suspended : .shopClosed
    }
}
