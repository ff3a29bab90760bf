/// Limits on how fast a customer gains stamps. A cap holds for one account in one campaign, over all its cards, so that filling a card does
/// not evade it. Both caps are off unless the owner turns them on: two cups in one visit are honest.
public struct StampCaps: Hashable, Sendable {
    /// No cap.
    public static let none = StampCaps(stampsPerDayMax: nil, minimumGapSeconds: nil)

    /// Stamps that one account may gain within 24 hours.
    public let stampsPerDayMax: Int?
    /// Seconds between two codes that one account enters.
    public let minimumGapSeconds: Int?

    public init(stampsPerDayMax: Int?, minimumGapSeconds: Int?) {
        self.stampsPerDayMax = stampsPerDayMax
        self.minimumGapSeconds = minimumGapSeconds
    }
}

extension StampCaps {
    /// The number of seconds that an account must wait before it can gain `added` more stamps in the campaign; `nil` if it need not wait.
    ///
    /// Counts only stamps from codes, not an operator's adjustments. A gain later than `now` was recorded while the clock was ahead, and
    /// does not count.
    func waitSeconds(for added: Int, after gains: StampGains, at now: Instant) -> Int64? {
        let past = gains.newest.filter { $0.at <= now && !$0.isReversed }
        let moments = [gapEnd(after: past), room(for: added, after: past, at: now)].compactMap(\.self)
        guard let until = moments.max(), now < until else { return nil }
        return (until.microseconds - now.microseconds + 999_999) / 1_000_000
    }

    private func gapEnd(after gains: [StampGains.Gain]) -> Instant? {
        guard let minimumGapSeconds, let last = gains.map(\.at).max() else { return nil }
        return last.advanced(bySeconds: Int64(minimumGapSeconds))
    }

    /// The time at which enough stamps of the last day have aged for `added` more. If they never fit, the answer is a day, by which time
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

/// The recent stamps that codes gave one account in one campaign, on all its cards together. Caps need nothing else from the past.
///
/// Only the newest ``Limits/stampGains`` are kept, so that the writer's memory is bounded. They suffice, because a cap allows at most
/// ``Limits/stampsPerDay`` in a day and every gain is at least one stamp. The log's order alone decides which are kept, so a writer that
/// has just started gives the same answer as one that has run for long.
///
/// A day is any 24 hours, so that no midnight doubles a cap and no time zone matters. A refused code is not spent, and the refusal names
/// the seconds to wait. The rule book judges old logs by the same rule. It may report caps that were exceeded on a second card, which was
/// allowed then.
public struct StampGains: Hashable, Sendable {
    /// Stamps of one code that were used up on one card; what a welcome or bonus hours add counts for no cap.
    public struct Gain: Hashable, Sendable {
        public let code: CodeID
        public let at: Instant
        public let stamps: Int
        /// Whether the shop took the stamps back. A reversed gain counts for no cap, and keeps its place among the newest.
        public fileprivate(set) var isReversed = false

        public init(code: CodeID, at: Instant, stamps: Int) {
            (self.code, self.at, self.stamps) = (code, at, stamps)
        }
    }

    /// The gains in the order of the log, at most ``Limits/stampGains``.
    public private(set) var newest: [Gain] = []

    /// Nothing gained.
    public init() {}

    /// - Parameter gains: in the order of the log.
    public init(_ gains: some Sequence<Gain>) {
        for gain in gains { add(gain) }
    }

    /// Takes in the next gain of the log. Stamps on top of a code's own are no gain: a card that they alone filled would take the place of
    /// one that counts.
    public mutating func add(_ gain: Gain) {
        guard gain.stamps > 0 else { return }
        if newest.count == Limits.stampGains { newest.removeFirst() }
        newest.append(gain)
    }

    /// Takes in the reversal of a code's stamps.
    public mutating func reverse(_ code: CodeID) {
        for index in newest.indices where newest[index].code == code { newest[index].isReversed = true }
    }
}
