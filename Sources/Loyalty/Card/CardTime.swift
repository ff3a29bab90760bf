/// How a card ages. Its terms say when its time is over, and every rule judges by the clock: `CardExpired` only records it, so that
/// models need no clock, and comes when it comes.
extension Card {
    /// The state at a moment: a card that collects or is full has expired once its time is over, recorded or not.
    public func status(at now: Instant) -> CardStatus { isHeld && terms.isOver(at: now) ? .expired : status }

    /// The card as it is shown at a moment.
    public func aged(to now: Instant) -> Card {
        var card = self
        card.status = status(at: now)
        return card
    }

    /// Whether there is something left to collect or to redeem, were its time not over.
    var isHeld: Bool { status == .collecting || status == .full }

    /// The event that records that the card's time is over; none before, and none once it is recorded or the card was spent.
    func expiry(at now: Instant) -> CardExpired? {
        guard status(at: now) == .expired, status != .expired, let dueAt = terms.expiresAt else { return nil }
        return CardExpired(card: id, campaign: campaign, shop: shop, holder: holder, dueAt: dueAt)
    }

    /// The reminder that makes sense now: the last that is due, unless its holder was reminded since.
    ///
    /// A reminder that comes late names the same end, so it is still of use until the next one is due. One that was due when the card
    /// opened, or before, is left out; and nobody is reminded of a card that is redeemed no more.
    func reminder(at now: Instant) -> CardReminder? {
        guard isHeld, !terms.isOver(at: now), terms.isRedeemable(at: now) else { return nil }
        guard let due = terms.reminders(openedAt: openedAt).last(where: { $0.dueAt <= now }) else { return nil }
        return history.contains { $0.kind == .reminded && $0.at >= due.dueAt } ? nil : due
    }
}

extension CardTerms {
    /// Whether the time of a card with these terms is over.
    public func isOver(at now: Instant) -> Bool { expiresAt.map { $0 <= now } ?? false }

    /// The reminders that a card gets which was opened then, the earliest first: none that is not due after the opening, and none that is
    /// due when the full card is redeemed no more.
    public func reminders(openedAt: Instant) -> [CardReminder] {
        guard let expiresAt else { return [] }
        return Limits.reminderDays.map { days in
            CardReminder(daysLeft: days, dueAt: expiresAt.advanced(bySeconds: -Int64(days) * Limits.daySeconds))
        }.filter { $0.dueAt > openedAt && isRedeemable(at: $0.dueAt) }
    }

    /// The earlier of two ends.
    func ending(by latest: Instant) -> Instant { min(latest, redeemUntil ?? latest, expiresAt ?? latest) }
}
