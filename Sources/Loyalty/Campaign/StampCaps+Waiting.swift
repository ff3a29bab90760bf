extension StampCaps {
    /// How long an account must wait before it can gain `added` stamps more in the campaign: seconds, `nil` for not at all.
    ///
    /// Only what codes gave counts, not what an operator set right. A gain later than `now` is from a time when the clock was ahead, and
    /// counts for nothing.
    func waitSeconds(for added: Int, after gains: StampGains, at now: Instant) -> Int64? {
        let past = gains.newest.filter { $0.at <= now }
        let moments = [gapEnd(after: past), room(for: added, after: past, at: now)].compactMap(\.self)
        guard let until = moments.max(), now < until else { return nil }
        return (until.microseconds - now.microseconds + 999_999) / 1_000_000
    }

    private func gapEnd(after gains: [StampGains.Gain]) -> Instant? {
        guard let minimumGapSeconds, let last = gains.map(\.at).max() else { return nil }
        return last.advanced(bySeconds: Int64(minimumGapSeconds))
    }

    /// When so many of the last day's stamps have aged that `added` more fit. What never fits is told to wait a day, by which time
    /// its code is over.
    private func room(for added: Int, after gains: [StampGains.Gain], at now: Instant) -> Instant? {
        guard let stampsPerDayMax else { return nil }
        guard added <= stampsPerDayMax else { return now.advanced(bySeconds: Limits.stampDaySeconds) }
        let dayAgo = now.advanced(bySeconds: -Limits.stampDaySeconds)
        let recent = gains.filter { $0.at > dayAgo }.sorted { $0.at < $1.at }
        var gained = recent.reduce(0) { $0 + $1.stamps }
        var until: Instant?
        for gain in recent where gained + added > stampsPerDayMax {
            gained -= gain.stamps
            until = gain.at.advanced(bySeconds: Limits.stampDaySeconds)
        }
        return until
    }
}
