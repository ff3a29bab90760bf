/// Record that a card's time is over, or that its holder is reminded; only for the service's scheduler.
public struct AgeCard: Hashable, Sendable {
    public let card: CardID
    public let notice: NoticeID

    public init(card: CardID, notice: NoticeID) { (self.card, self.notice) = (card, notice) }
}

extension AgeCard: Decision {
    public typealias Situation = (card: Card?, isHolderErased: Bool, noticeWithID: Notice?, closing: ShopClosing?)

    public static var needsAccount: Bool { false }

    public func situation<P: Past>(in past: inout P, by actor: AccountID) throws(P.Failure) -> Situation {
        try situation(in: &past, isReminder: { _ in true })
    }

    /// Only a reminder needs the shop, and many cards may end in one night.
    public func situation<P: Past>(in past: inout P, by actor: AccountID, at now: Instant) throws(P.Failure) -> Situation {
        try situation(in: &past, isReminder: { $0.reminder(at: now) != nil })
    }

    private func situation<P: Past>(in past: inout P, isReminder: (Card) -> Bool) throws(P.Failure) -> Situation {
        guard let known = try past.card(card) else { return (nil, false, nil, nil) }
        let closing = isReminder(known) ? try past.shop(known.shop)?.closing : nil
        return (known, try past.wasErased(known.holder), try past.notice(notice), closing)
    }

    /// Repeats change nothing. Of several reminders that became due while the service was stopped, only one is sent.
    public func decide(_ situation: Situation, by actor: AccountID, at now: Instant) throws(Rejection) -> [LoyaltyEvent] {
        guard let known = situation.card, !situation.isHolderErased else { return [] }
        if let expired = known.expiry(at: now) { return [.cardExpired(expired)] }
        guard situation.noticeWithID == nil, let reminder = known.reminder(at: now, closing: situation.closing) else { return [] }
        let reminded = CardReminded(
            card: card, campaign: known.campaign, shop: known.shop, holder: known.holder, notice: notice, daysLeft: reminder.daysLeft,
            dueAt: reminder.dueAt)
        return [.cardReminded(reminded)]
    }
}

/// Discard a card; for its holder only.
public struct DiscardCard: Hashable, Sendable {
    public let card: CardID

    public init(card: CardID) { self.card = card }
}

extension DiscardCard: Decision {
    public func situation<P: Past>(in past: inout P, by actor: AccountID) throws(P.Failure) -> Card? { try past.card(card) }

    /// The holder may discard even a redeemed card. Its redemption code stops working.
    public func decide(_ situation: Card?, by actor: AccountID, at now: Instant) throws(Rejection) -> [LoyaltyEvent] {
        guard let known = situation, known.holder == actor else { throw .notFound }
        guard known.status != .discarded else { return [] }
        return [.cardDiscarded(CardDiscarded(card: card, campaign: known.campaign, shop: known.shop, holder: actor))]
    }
}
