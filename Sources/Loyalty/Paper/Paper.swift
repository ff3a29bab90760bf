/// Cards of one campaign that a shop printed at once.
///
/// The log has one event for all of them. The print's secret and a card's number make the card's code, see `Keys` in `LoyaltyCodec`.
public struct PaperPrint: Hashable, Sendable {
    public let id: PrintID
    public let campaign: CampaignID
    public let shop: ShopID
    /// Keyed hash of the first half of each card's code.
    public let secret: Secret
    /// Which derivation from the id gave that half; above 0 only after a collision.
    public let attempt: Int
    /// The number of cards, 1 to 500.
    public let count: Int
    public let printedAt: Instant

    public init(id: PrintID, campaign: CampaignID, shop: ShopID, secret: Secret, attempt: Int, count: Int, printedAt: Instant) {
        (self.id, self.campaign, self.shop) = (id, campaign, shop)
        (self.secret, self.attempt, self.count, self.printedAt) = (secret, attempt, count, printedAt)
    }

    /// Whether the print has the card.
    func has(_ paper: PaperName) -> Bool { paper.print == id && (0..<count).contains(paper.number) }
}

extension PaperPrint: Folded {
    public init?(opening fact: Fact) {
        guard case .paperCardsPrinted(let event) = fact.event else { return nil }
        self.init(
            id: event.print, campaign: event.campaign, shop: event.shop, secret: event.secret, attempt: event.attempt,
            count: event.count, printedAt: fact.time)
    }

    /// A print never changes.
    public mutating func evolve(_ fact: Fact) {}
}

/// A card on paper, by its print and its number there.
public struct PaperName: Hashable, Sendable {
    public let print: PrintID
    /// From 0.
    public let number: Int

    public init(print: PrintID, number: Int) {
        (self.print, self.number) = (print, number)
    }

    /// The identity by which the card's events are found. Wraps rather than traps, like the ids of cards that are opened together.
    public var id: PaperID { PaperID(print.value &+ UInt128(truncatingIfNeeded: number)) }
}

/// A card on paper (纸质集点卡): stamps that wait for the account that takes it.
///
/// A stamp on paper is a stamp code that waits here: issued at the counter, shown to nobody, and used for the cards of the account in the
/// step in which it takes the paper. It does not expire while it waits. A paper without an event is blank.
public struct Paper: Hashable, Sendable {
    /// A code that waits.
    public struct Stamping: Hashable, Sendable {
        public let code: CodeID
        /// Worth, 1 to 10.
        public let stamps: Int
        public let at: Instant
        /// The shop that issued the code.
        public let shop: ShopID

        public init(code: CodeID, stamps: Int, at: Instant, shop: ShopID) {
            (self.code, self.stamps, self.at, self.shop) = (code, stamps, at, shop)
        }
    }

    public let name: PaperName
    /// The account that took it; the paper stays its token at the counter.
    public var holder: AccountID?
    /// The codes that wait, oldest first.
    public var waiting: [Stamping] = []
    /// How many codes ever waited.
    public var stampings = 0

    /// A blank paper.
    public init(_ name: PaperName) { self.name = name }

    /// Stamps that wait.
    public var stamps: Int { waiting.reduce(0) { $0 + $1.stamps } }

    /// The codes that wait, as gains for the caps of the campaign: until somebody takes it, a paper is a customer by itself.
    var gains: StampGains { StampGains(waiting.map { StampGains.Gain(code: $0.code, at: $0.at, stamps: $0.stamps) }) }
}

extension Paper: Folded {
    public init?(opening fact: Fact) {
        guard let paper = fact.event.paper else { return nil }
        self.init(paper)
        evolve(fact)
    }

    public mutating func evolve(_ fact: Fact) {
        switch fact.event {
        case .paperStamped(let event) where event.paper == name:
            waiting.append(Stamping(code: event.code, stamps: event.stamps, at: fact.time, shop: event.shop))
            stampings += 1
        case .paperStampReversed(let event) where event.paper == name: waiting.removeAll { $0.code == event.code }
        case .paperCardTaken(let event) where event.paper == name:
            holder = event.holder
            waiting = []
        default: break
        }
    }
}
