/// Where cards are left.
///
/// Of the cards opened on a day of the period, as they stand now:
/// - a card is **abandoned** when it is not full and was thrown away, or is **idle**: its last stamp (its opening, where it has none)
///   lies more than `idleDays` days before today;
/// - a card **reached** a count of stamps below its goal when it has that many now or more;
/// - the **share** abandoned at a count: of the cards that reached it, those that were abandoned there. Of two counts with as many
///   abandoned cards, the later one has the larger share, since fewer cards come so far.
public struct AbandonmentReport: Hashable, Sendable {
    /// One count of stamps.
    public struct Step: Hashable, Sendable {
        /// Below the goal of every card that is counted here.
        public let stamps: Int
        public let reached: Int
        /// Idle cards with exactly this many.
        public let idle: Int
        /// Cards thrown away with exactly this many.
        public let discarded: Int

        public var abandoned: Int { idle + discarded }
        public var share: Double { reached > 0 ? Double(abandoned) / Double(reached) : 0 }
    }

    public let idleDays: Int
    /// Opened in the period.
    public internal(set) var cards = 0
    /// Of those, full now or redeemed.
    public internal(set) var full = 0
    /// From 0 up to the last count that a card reached.
    public internal(set) var steps: [Step] = []

    init(idleDays: Int) { self.idleDays = idleDays }

    public var idle: Int { steps.reduce(0) { $0 + $1.idle } }
    public var discarded: Int { steps.reduce(0) { $0 + $1.discarded } }
    /// Of all cards; nil where there are none.
    public var abandonedShare: Double? { cards > 0 ? Double(idle + discarded) / Double(cards) : nil }
}
