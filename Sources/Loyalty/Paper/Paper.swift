/// Paper cards of one campaign, printed at once. See `PaperCode` in `LoyaltyCodec` for their codes.
public struct PaperPrint: Hashable, Sendable {
    public let id: PrintID
    public let campaign: CampaignID
    public let shop: ShopID
    /// Keyed hash of the codes' shared first half.
    public let secret: Secret
    /// Derived codes that were in use already; nearly always 0.
    public let attempt: Int
    /// 1 to 500.
    public let count: Int
    public let printedAt: Instant

    func has(_ paper: PaperName) -> Bool { paper.print == id && (0..<count).contains(paper.number) }
}

extension PaperPrint {
    public init?(opening fact: Fact) {
        guard case .paperCardsPrinted(let event) = fact.event else { return nil }
        self.init(
            id: event.print, campaign: event.campaign, shop: event.shop, secret: event.secret, attempt: event.attempt,
            count: event.count, printedAt: fact.time)
    }

    public mutating func evolve(_ fact: Fact) {}
}

/// The name of a paper card: its print, and its number in the print.
public struct PaperName: Hashable, Sendable {
    public let print: PrintID
    public let number: Int

    public init(print: PrintID, number: Int) { (self.print, self.number) = (print, number) }

    /// Must not trap, because any number is a valid id.
    public var id: PaperID { PaperID(print.value &+ UInt128(truncatingIfNeeded: number)) }
}

/// A paper card (纸质集点卡). Its stamps wait as codes that do not expire, until an account takes it. Without events a paper is blank.
public struct Paper: Hashable, Sendable {
    /// A waiting code: a stamp code on the paper card that is used when an account takes the paper card.
    public struct Stamping: Hashable, Sendable {
        public let code: CodeID
        public let stamps: Int
        public let at: Instant
        public let shop: ShopID
    }

    public let name: PaperName
    /// The paper card then identifies this account at the counter.
    public var holder: AccountID?
    public var waiting: [Stamping] = []
    /// Includes codes that were taken back.
    public var stampings = 0

    public init(_ name: PaperName) { self.name = name }

    public var stamps: Int { waiting.reduce(0) { $0 + $1.stamps } }

    /// Caps treat an untaken paper card like a separate customer.
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
