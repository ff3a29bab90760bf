/// Paper cards of one campaign that a shop printed at once.
///
/// The log has one event for all cards of the print. A card's code is derived from the print's id, the print's ``attempt`` and the card's
/// number; see `PaperCode` in `LoyaltyCodec`.
public struct PaperPrint: Hashable, Sendable {
    public let id: PrintID
    public let campaign: CampaignID
    public let shop: ShopID
    /// Keyed hash of the first half of a card's code. The half is the same on all cards of the print.
    public let secret: Secret
    /// The number of derived codes that were skipped because they were already in use; nearly always 0. The first half of the codes is
    /// derived from the print's id and this number.
    public let attempt: Int
    /// The number of paper cards that were printed at once, 1 to 500.
    public let count: Int
    public let printedAt: Instant

    public init(id: PrintID, campaign: CampaignID, shop: ShopID, secret: Secret, attempt: Int, count: Int, printedAt: Instant) {
        (self.id, self.campaign, self.shop) = (id, campaign, shop)
        (self.secret, self.attempt, self.count, self.printedAt) = (secret, attempt, count, printedAt)
    }

    /// Whether the paper card belongs to this print.
    func has(_ paper: PaperName) -> Bool { paper.print == id && (0..<count).contains(paper.number) }
}

extension PaperPrint {
    public init?(opening fact: Fact) {
        guard case .paperCardsPrinted(let event) = fact.event else { return nil }
        self.init(
            id: event.print, campaign: event.campaign, shop: event.shop, secret: event.secret, attempt: event.attempt,
            count: event.count, printedAt: fact.time)
    }

    /// A print never changes.
    public mutating func evolve(_ fact: Fact) {}
}

/// The name of a paper card: its print, and its number in the print.
public struct PaperName: Hashable, Sendable {
    public let print: PrintID
    /// The number of the paper card among the cards that were printed at once, from 0.
    public let number: Int

    public init(print: PrintID, number: Int) {
        (self.print, self.number) = (print, number)
    }

    /// The id by which the paper card's events are found. The addition wraps around and does not trap, because any number is a valid id.
    public var id: PaperID { PaperID(print.value &+ UInt128(truncatingIfNeeded: number)) }
}

/// A paper card (纸质集点卡). Its stamps wait until an account takes the paper card.
///
/// Until then, each stamp at the counter issues a stamp code that is shown to nobody. When an account takes the paper card, these waiting
/// codes are used for the account's cards in the same step. A waiting code does not expire. A paper card without any event is blank.
public struct Paper: Hashable, Sendable {
    /// A waiting code: a stamp code on the paper card that is used when an account takes the paper card.
    public struct Stamping: Hashable, Sendable {
        public let code: CodeID
        /// The stamps that the code is worth, 1 to 10.
        public let stamps: Int
        public let at: Instant
        /// The shop that issued the code.
        public let shop: ShopID

        public init(code: CodeID, stamps: Int, at: Instant, shop: ShopID) {
            (self.code, self.stamps, self.at, self.shop) = (code, stamps, at, shop)
        }
    }

    public let name: PaperName
    /// The account that took the paper card. From then on the paper card identifies this account at the counter.
    public var holder: AccountID?
    /// The waiting codes, oldest first.
    public var waiting: [Stamping] = []
    /// The number of codes that were ever put on the paper, including those that were taken back.
    public var stampings = 0

    /// Creates a blank paper.
    public init(_ name: PaperName) { self.name = name }

    /// The stamps that the waiting codes are worth together.
    public var stamps: Int { waiting.reduce(0) { $0 + $1.stamps } }

    /// The waiting codes as gains, which the campaign's caps count. The caps treat a paper card that no account has taken like a separate
    /// customer.
    var gains: StampGains { StampGains(waiting.map { StampGains.Gain(code: $0.code, at: $0.at, stamps: $0.stamps) }) }
}

extension Paper {
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
