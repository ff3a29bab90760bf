/// The ageing of a card. The card's terms name the moment at which its time is over, and every rule compares that moment with the clock.
/// The event `CardExpired` may be recorded later. The event only records the end, so that read models need no clock.
extension Card {
    /// The state of the card at `now`. A collecting or full card has expired once its time is over, even if that is not recorded yet.
    public func status(at now: Instant) -> CardStatus { isHeld && terms.isOver(at: now) ? .expired : status }

    /// The card with the state that it has at `now`.
    public func aged(to now: Instant) -> Card {
        var card = self
        card.status = status(at: now)
        return card
    }

    /// Whether the card has something left to collect or redeem, regardless of time.
    public var isHeld: Bool { status == .collecting || status == .full }

    /// The event that records the end of the card's time; `nil` before the end, and once the end is recorded or the card was redeemed or
    /// discarded.
    func expiry(at now: Instant) -> CardExpired? {
        guard status(at: now) == .expired, status != .expired, let dueAt = terms.expiresAt else { return nil }
        return CardExpired(card: id, campaign: campaign, shop: shop, holder: holder, dueAt: dueAt)
    }

    /// The reminder to send now: the latest reminder that is due, unless the holder was reminded since it became due.
    ///
    /// A reminder that is sent late names the same end of the card's time, so it is useful until the next reminder is due. A reminder that
    /// was due when the card opened, or before, is left out. A reminder that was due while the card could be redeemed is recorded even if
    /// the card cannot be redeemed now: otherwise the card's entry in `Deadlines` would stay due until the card's end, and the writer would
    /// judge it again each second.
    ///
    /// - Parameter closing: the closing of the card's shop; `nil` while the shop is open.
    func reminder(at now: Instant, closing: ShopClosing? = nil) -> CardReminder? {
        guard isHeld, !terms.isOver(at: now) else { return nil }
        let reminders = terms.redeemed(until: closing?.redeemUntil).reminders(openedAt: openedAt)
        guard let due = reminders.last(where: { $0.dueAt <= now }) else { return nil }
        return history.contains { $0.kind == .reminded && $0.at >= due.dueAt } ? nil : due
    }
}

extension CardTerms {
    /// Whether the time of a card with these terms is over.
    public func isOver(at now: Instant) -> Bool { expiresAt.map { $0 <= now } ?? false }

    /// The reminders of a card that was opened at `openedAt`, earliest first. A reminder is left out if it would not be due after the
    /// opening, or would be due when the full card can no longer be redeemed.
    public func reminders(openedAt: Instant) -> [CardReminder] {
        guard let expiresAt else { return [] }
        return Limits.reminderDays.map { days in
            CardReminder(daysLeft: days, dueAt: expiresAt.advanced(bySeconds: -Int64(days) * Limits.daySeconds))
        }.filter { $0.dueAt > openedAt && isRedeemable(at: $0.dueAt) }
    }

    /// These terms for a card whose shop hands out rewards only until `closing`; unchanged if `closing` is nil, as for an open shop.
    func redeemed(until closing: Instant?) -> CardTerms {
        guard let closing else { return self }
        return CardTerms(expiresAt: expiresAt, redeemUntil: min(closing, redeemUntil ?? closing), milestones: milestones)
    }

    /// The earliest of three moments: `latest`, ``redeemUntil`` and ``expiresAt``, as far as the terms have them.
    func ending(by latest: Instant) -> Instant { min(latest, redeemUntil ?? latest, expiresAt ?? latest) }
}
