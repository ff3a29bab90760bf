extension StampCaps {
    /// How long a card must wait before it can gain `added` stamps more: seconds, `nil` for not at all.
    ///
    /// Only what codes gave counts, not what an operator has set right; and what has been so far: a stamp of later is one from a time
    /// when the clock was ahead.
    ///
    /// - Parameter card: `nil` for one that is yet to be opened.
    func waitSeconds(for added: Int, on card: Card?, at now: Instant) -> Int64? {
        let stamped = card?.history.filter { $0.kind == .stamped && $0.at <= now } ?? []
        let moments = [gapEnd(after: stamped), room(for: added, after: stamped, at: now)].compactMap(\.self)
        guard let until = moments.max(), now < until else { return nil }
        return (until.microseconds - now.microseconds + 999_999) / 1_000_000
    }

    private func gapEnd(after stamped: [CardEntry]) -> Instant? {
        guard let minimumGapSeconds, let last = stamped.map(\.at).max() else { return nil }
        return last.advanced(bySeconds: Int64(minimumGapSeconds))
    }

    /// When so many of the last day's stamps have aged that `added` more fit. What never fits is told to wait a day, by which time
    /// its code is over.
    private func room(for added: Int, after stamped: [CardEntry], at now: Instant) -> Instant? {
        guard let stampsPerDayMax else { return nil }
        guard added <= stampsPerDayMax else { return now.advanced(bySeconds: Limits.stampDaySeconds) }
        let dayAgo = now.advanced(bySeconds: -Limits.stampDaySeconds)
        let recent = stamped.filter { $0.at > dayAgo }.sorted { $0.at < $1.at }
        var gained = recent.reduce(0) { $0 + $1.stamps }
        var until: Instant?
        for entry in recent where gained + added > stampsPerDayMax {
            gained -= entry.stamps
            until = entry.at.advanced(bySeconds: Limits.stampDaySeconds)
        }
        return until
    }
}
