/// Limits on how fast one account gains stamps in one campaign, over all its cards.
public struct StampCaps: Hashable, Sendable {
    public static let none = StampCaps(stampsPerDayMax: nil, minimumGapSeconds: nil)

    /// Within any 24 hours.
    public let stampsPerDayMax: Int?
    /// Between two codes of one account.
    public let minimumGapSeconds: Int?

    public init(stampsPerDayMax: Int?, minimumGapSeconds: Int?) {
        (self.stampsPerDayMax, self.minimumGapSeconds) = (stampsPerDayMax, minimumGapSeconds)
    }
}

extension StampCaps {
    var countedSeconds: Int64 { max(stampsPerDayMax == nil ? 0 : Limits.stampDaySeconds, Int64(minimumGapSeconds ?? 0)) }

    /// The wait in seconds; nil for none. Gains later than `now` come from a fast clock and are ignored.
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

    /// The moment at which the stamps fit the daily cap; nil if they fit now. If `added` alone exceeds the cap, it is a day from now, when
    /// the code has expired.
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

/// The newest ``Limits/stampGains`` gains of one account in one campaign, which suffice for the caps.
///
/// Position decides, not time, because the clock may have been set back. So a restarted writer decides as before.
public struct StampGains: Hashable, Sendable {
    /// Stamps of one code on one card, without extra stamps, which no cap limits.
    public struct Gain: Hashable, Sendable {
        public let code: CodeID
        public let at: Instant
        public let stamps: Int

        public init(code: CodeID, at: Instant, stamps: Int) { (self.code, self.at, self.stamps) = (code, at, stamps) }
    }

    /// Oldest first.
    public private(set) var newest: [Gain] = []

    public init() {}

    /// - Parameter gains: oldest first, without those that were taken back.
    public init(_ gains: some Sequence<Gain>) { for gain in gains { add(gain) } }

    /// A gain of 0, if extra stamps alone filled the card, must not displace one that counts.
    public mutating func add(_ gain: Gain) {
        guard gain.stamps > 0 else { return }
        if newest.count == Limits.stampGains { newest.removeFirst() }
        newest.append(gain)
    }
}
