/// Record that time has passed for a card: that its time is over, or that its holder is reminded of the end. Nobody's command but the
/// writer's own.
public struct AgeCard: Hashable, Sendable {
    public let card: CardID
    /// The id of the notice that a reminder is.
    public let notice: NoticeID

    public init(card: CardID, notice: NoticeID) {
        (self.card, self.notice) = (card, notice)
    }
}

/// The facts that the ageing of a card needs.
public struct AgeCardSituation: Hashable, Sendable {
    public let card: Card?
    /// Whether its holder was erased: nobody holds the card any more.
    public let isHolderErased: Bool
    public let noticeWithID: Notice?

    public init(card: Card?, isHolderErased: Bool, noticeWithID: Notice?) {
        (self.card, self.isHolderErased, self.noticeWithID) = (card, isHolderErased, noticeWithID)
    }
}

extension AgeCard: Decision {
    public func situation<P: Past>(in past: inout P, by actor: AccountID) throws(P.Failure) -> AgeCardSituation {
        guard let known = try past.card(card) else { return AgeCardSituation(card: nil, isHolderErased: false, noticeWithID: nil) }
        return AgeCardSituation(
            card: known, isHolderErased: try past.wasErased(known.holder), noticeWithID: try past.notice(notice))
    }

    /// Too early, too late and twice there is nothing to do. After a pause there is one reminder at most, and none once the time is over.
    public func decide(_ situation: AgeCardSituation, by actor: AccountID, at now: Instant) throws(Rejection) -> [LoyaltyEvent] {
        guard let known = situation.card, !situation.isHolderErased else { return [] }
        if let expired = known.expiry(at: now) { return [.cardExpired(expired)] }
        guard situation.noticeWithID == nil, let reminder = known.reminder(at: now) else { return [] }
        return [
            .cardReminded(
                CardReminded(
                    card: card, campaign: known.campaign, shop: known.shop, holder: known.holder, notice: notice,
                    daysLeft: reminder.daysLeft, dueAt: reminder.dueAt))
        ]
    }
}
