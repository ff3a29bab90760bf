/// An activity at a shop that an event records. The shop's state may forbid it.
struct ShopAct: Hashable, Sendable {
    /// `events.proto` says which events are activities of which kind.
    enum Kind: Hashable, Sendable {
        /// Anything that a shop does only while it is neither suspended nor closed.
        case trade
        /// A code for a reward is requested, a reward is handed out or taken back, stamps are taken back, or an account takes a paper card
        /// with waiting codes. A suspended shop may also correct its mistakes.
        case redemption
        /// A reply in a thread about the shop. A reply by the shop's owner or staff is a reply of the shop itself.
        case reply
    }

    var kind: Kind
    var shop: ShopID
}

extension LoyaltyEvent {
    /// The activity that the event records; `nil` for events that no state of a shop forbids.
    var act: ShopAct? {
        // A role is raised by an accepted offer. Lowering a role only takes access away.
        if case .roleChanged(let event) = self, event.invitation == nil { return nil }
        guard let actKind, let shop else { return nil }
        return ShopAct(kind: actKind, shop: shop)
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
            guard let own = event.act else { continue }
            // The customer earned the stamps of waiting codes earlier, so only the state of the campaign's own shop matters for them.
            let act = handsOut ? ShopAct(kind: .redemption, shop: event.home ?? own.shop) : own
            guard act != asked else { continue }
            asked = act
            if let refusal = try refusal(of: act, in: &past, by: actor, at: now) {
                // People of the campaign's own shop may also take back what another shop gave. Only a closed shop refuses that.
                guard event.takesBack, let home = event.home, try past.shop(home)?.employs(actor) == true else { return refusal }
            }
            // If the activity happens at another shop, the campaign's own shop must also allow it.
            guard !handsOut, let home = event.home else { continue }
            if let refusal = try refusal(of: ShopAct(kind: act.kind, shop: home), in: &past, by: actor, at: now) { return refusal }
        }
        return nil
    }

    private func refusal<P: Past>(
        of act: ShopAct, in past: inout P, by actor: AccountID, at now: Instant
    ) throws(P.Failure) -> Rejection? {
        guard let shop = try past.shop(act.shop) else { return nil }
        let standing = ShopStanding(shop, owner: try past.account(shop.owner), at: now)
        guard !standing.allows(act.kind, byItsPeople: shop.employs(actor)) else { return nil }
        return standing == .suspended ? .suspended : .shopClosed
    }
}
