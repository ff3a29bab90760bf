/// Limits on how fast a customer gains stamps. A cap holds for one account in one campaign, over all its cards, so that filling a card does
/// not evade it. Both caps are off unless the shop turns them on, because a customer may honestly buy two cups in one visit.
public struct StampCaps: Hashable, Sendable {
    /// The caps of a campaign that has none.
    public static let none = StampCaps(stampsPerDayMax: nil, minimumGapSeconds: nil)

    /// Stamps that one account may gain within 24 hours; nil for no cap.
    public let stampsPerDayMax: Int?
    /// The fewest seconds between two codes that one account enters; nil for no cap.
    public let minimumGapSeconds: Int?

    public init(stampsPerDayMax: Int?, minimumGapSeconds: Int?) {
        self.stampsPerDayMax = stampsPerDayMax
        self.minimumGapSeconds = minimumGapSeconds
    }
}

extension StampCaps {
    /// The number of seconds for which the caps count a gain; 0 if there are none.
    var countedSeconds: Int64 {
        max(stampsPerDayMax == nil ? 0 : Limits.stampDaySeconds, Int64(minimumGapSeconds ?? 0))
    }

    /// The number of seconds that an account must wait before it can gain `added` more stamps in the campaign; `nil` if it need not wait.
    ///
    /// Caps limit stamps from codes, not an operator's adjustments. A gain with a time after `now` was recorded while the clock was fast,
    /// and is ignored.
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

    /// The moment from which `added` more stamps fit the daily cap, because enough earlier stamps are then a day old; nil if they fit now,
    /// or if there is no cap. If `added` alone exceeds the cap, the result is a day from now, because the code has expired by then.
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

/// The recent stamps that codes gave one account in one campaign, on all its cards together. Stamps that were taken back are left out, and
/// so take no places. Caps need no other facts about the past.
///
/// Only the newest ``Limits/stampGains`` are kept, so that the writer's memory is bounded. They suffice, because a cap allows at most
/// ``Limits/stampsPerDay`` in a day, and every gain is at least one stamp. If a gain is taken back, an older one may get its place, so the
/// writer knows some more of them. The newest gains are those with the highest positions, not those with the latest times, because the
/// clock may have been set back. So a writer that has just started decides like a writer that has run for long.
///
/// A day is any 24 hours. So a customer cannot gain twice the cap around midnight, and time zones do not matter. A refused code can be
/// entered again later, and the refusal names the seconds to wait. The rule book (`Archive/Rules`) also applies this rule to old logs.
/// There it may report gains on a second card that exceed the cap, because older versions of the service allowed them.
public struct StampGains: Hashable, Sendable {
    /// Stamps of one code that went onto one card. Stamps that a welcome or bonus hours added are not included, because no cap limits them.
    public struct Gain: Hashable, Sendable {
        public let code: CodeID
        public let at: Instant
        public let stamps: Int

        public init(code: CodeID, at: Instant, stamps: Int) {
            (self.code, self.at, self.stamps) = (code, at, stamps)
        }
    }

    /// The newest gains by position, oldest first, at most ``Limits/stampGains``.
    public private(set) var newest: [Gain] = []

    /// Creates an empty list.
    public init() {}

    /// Creates a list of the newest of these gains.
    ///
    /// - Parameter gains: the gains by position, oldest first, without those that were taken back.
    public init(_ gains: some Sequence<Gain>) {
        for gain in gains { add(gain) }
    }

    /// Adds the next gain of the log. A gain of 0 stamps occurs if extra stamps alone filled the card. It is left out, because it would
    /// displace a gain that caps have to count.
    public mutating func add(_ gain: Gain) {
        guard gain.stamps > 0 else { return }
        if newest.count == Limits.stampGains { newest.removeFirst() }
        newest.append(gain)
    }
}
