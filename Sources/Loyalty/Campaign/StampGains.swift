/// What codes gave one account in one campaign lately, on all its cards together: all that the campaign's caps ask of the past.
///
/// Bounded on purpose, so that the writer may keep it: a cap allows at most ``Limits/stampsPerDay`` in a day and every gain is a stamp
/// at least, so the newest ``Limits/stampGains`` decide whatever came before them. Which gains those are follows from the log's order
/// alone, so that a writer that kept them and one that has just started answer the same.
public struct StampGains: Hashable, Sendable {
    /// Stamps that one code gave to one card.
    public struct Gain: Hashable, Sendable {
        public let at: Instant
        public let stamps: Int

        public init(at: Instant, stamps: Int) {
            (self.at, self.stamps) = (at, stamps)
        }
    }

    /// In the order of the log, at most ``Limits/stampGains``.
    public private(set) var newest: [Gain] = []

    /// Nothing gained.
    public init() {}

    /// - Parameter gains: in the order of the log.
    public init(_ gains: some Sequence<Gain>) {
        for gain in gains { add(gain) }
    }

    /// Takes in the next gain of the log.
    public mutating func add(_ gain: Gain) {
        if newest.count == Limits.stampGains { newest.removeFirst() }
        newest.append(gain)
    }
}
