/// The ageing of a card. Every rule compares the terms with the clock; `CardExpired` spares read models a clock.
extension Card {
    /// The state at `now`, even if the end is not recorded yet.
    public func status(at now: Instant) -> CardStatus { isHeld && terms.isOver(at: now) ? .expired : status }

    public func aged(to now: Instant) -> Card {
        var card = self
        card.status = status(at: now)
        return card
    }

    public var isHeld: Bool { status == .collecting || status == .full }

    /// nil once recorded, and for a redeemed or discarded card.
    func expiry(at now: Instant) -> CardExpired? {
        guard status(at: now) == .expired, status != .expired, let dueAt = terms.expiresAt else { return nil }
        return CardExpired(card: id, campaign: campaign, shop: shop, holder: holder, dueAt: dueAt)
    }

    /// The latest due reminder that was not sent.
    ///
    /// It is recorded even if the card cannot be redeemed now: otherwise its entry in `Deadlines` would stay due, and the writer would
    /// judge it each second.
    ///
    /// - Parameter closing: `nil` while the shop is open.
    func reminder(at now: Instant, closing: ShopClosing? = nil) -> CardReminder? {
        guard isHeld, !terms.isOver(at: now) else { return nil }
        let reminders = terms.redeemed(until: closing?.redeemUntil).reminders(openedAt: openedAt)
        guard let due = reminders.last(where: { $0.dueAt <= now }) else { return nil }
        return history.contains { $0.kind == .reminded && $0.at >= due.dueAt } ? nil : due
    }
}

extension CardTerms {
    public func isOver(at now: Instant) -> Bool { expiresAt.map { $0 <= now } ?? false }

    /// Earliest first; only those due while the full card can be redeemed.
    public func reminders(openedAt: Instant) -> [CardReminder] {
        guard let expiresAt else { return [] }
        return Limits.reminderDays.map { days in
            CardReminder(daysLeft: days, dueAt: expiresAt.advanced(bySeconds: -Int64(days) * Limits.daySeconds))
        }.filter { $0.dueAt > openedAt && isRedeemable(at: $0.dueAt) }
    }

    /// Unchanged without `closing`.
    func redeemed(until closing: Instant?) -> CardTerms {
        guard let closing else { return self }
        return CardTerms(expiresAt: expiresAt, redeemUntil: min(closing, redeemUntil ?? closing), milestones: milestones)
    }

    func ending(by latest: Instant) -> Instant { min(latest, redeemUntil ?? latest, expiresAt ?? latest) }
}
