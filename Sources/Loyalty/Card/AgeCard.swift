/// Record that a card's time is over, or that its holder is reminded that it soon will be. Only the scheduler of the service gives this
/// command.
public struct AgeCard: Hashable, Sendable {
    public let card: CardID
    /// The id of the notice that shows the reminder to the holder.
    public let notice: NoticeID

    public init(card: CardID, notice: NoticeID) {
        (self.card, self.notice) = (card, notice)
    }
}

/// The facts that the ageing of a card needs.
public struct AgeCardSituation: Hashable, Sendable {
    public let card: Card?
    /// Whether the holder was erased, so that nobody holds the card any more.
    public let isHolderErased: Bool
    public let noticeWithID: Notice?
    /// The closing of the card's shop; `nil` while the shop is open.
    public var closing: ShopClosing?

    public init(card: Card?, isHolderErased: Bool, noticeWithID: Notice?) {
        (self.card, self.isHolderErased, self.noticeWithID) = (card, isHolderErased, noticeWithID)
    }
}

extension AgeCard: Decision {
    public func situation<P: Past>(in past: inout P, by actor: AccountID) throws(P.Failure) -> AgeCardSituation {
        try situation(in: &past, isReminder: { _ in true })
    }

    /// Looks up the shop only for a reminder, which depends on the shop's state. The end of a card does not depend on the shop, and many
    /// cards may end in one night, so unneeded look-ups would be costly.
    public func situation<P: Past>(in past: inout P, by actor: AccountID, at now: Instant) throws(P.Failure) -> AgeCardSituation {
        try situation(in: &past, isReminder: { $0.reminder(at: now) != nil })
    }

    private func situation<P: Past>(in past: inout P, isReminder: (Card) -> Bool) throws(P.Failure) -> AgeCardSituation {
        guard let known = try past.card(card) else { return AgeCardSituation(card: nil, isHolderErased: false, noticeWithID: nil) }
        var situation = AgeCardSituation(
            card: known, isHolderErased: try past.wasErased(known.holder), noticeWithID: try past.notice(notice))
        if isReminder(known) { situation.closing = try past.shop(known.shop)?.closing }
        return situation
    }

    /// Does nothing if no event is due now, or if the event is already recorded. A reminder is left out if the card cannot be redeemed when
    /// the reminder is due, because of the card's terms or because its shop has closed. If several reminders became due while the service
    /// was stopped, only one is sent, and none once the card's time is over.
    public func decide(_ situation: AgeCardSituation, by actor: AccountID, at now: Instant) throws(Rejection) -> [LoyaltyEvent] {
        guard let known = situation.card, !situation.isHolderErased else { return [] }
        if let expired = known.expiry(at: now) { return [.cardExpired(expired)] }
        guard situation.noticeWithID == nil, let reminder = known.reminder(at: now, closing: situation.closing) else { return [] }
        return [
            .cardReminded(
                CardReminded(
                    card: card, campaign: known.campaign, shop: known.shop, holder: known.holder, notice: notice,
                    daysLeft: reminder.daysLeft, dueAt: reminder.dueAt))
        ]
    }
}
