/// A one-time stamp code (集点码).
public struct Code: Hashable, Sendable {
    public let id: CodeID
    public let campaign: CampaignID
    public let shop: ShopID
    /// The campaign's own shop if ``shop`` is another shop; otherwise nil.
    public var home: ShopID?
    public let secret: Secret
    public let attempt: Int
    public var stamps: Int
    public var expiresAt: Instant
    /// The account that issued the code.
    public let issuer: AccountID
    public let issuedAt: Instant
    /// Position of the event that issued the code; `.max` for a code whose event is being decided, 0 for a code from a paper card.
    public private(set) var position: UInt64 = 0
    public var isUsed: Bool
    public var isDestroyed: Bool
    /// Whether the shop took back the code's stamps, either from a card or from a paper card.
    public var isReversed = false
    /// The paper card on which the counter put the code. The value remains after an account took the paper card.
    public var paper: PaperName?

    public init(
        id: CodeID,
        campaign: CampaignID,
        shop: ShopID,
        secret: Secret,
        attempt: Int,
        stamps: Int,
        expiresAt: Instant,
        issuer: AccountID,
        issuedAt: Instant,
        isUsed: Bool,
        isDestroyed: Bool
    ) {
        self.id = id
        self.campaign = campaign
        self.shop = shop
        self.secret = secret
        self.attempt = attempt
        self.stamps = stamps
        self.expiresAt = expiresAt
        self.issuer = issuer
        self.issuedAt = issuedAt
        self.isUsed = isUsed
        self.isDestroyed = isDestroyed
    }
}

/// The state of a stamp code, as the shop that issued it sees it.
public enum CodeStatus: UInt8, Hashable, Sendable, CaseIterable {
    case open = 1
    case used = 2
    case destroyed = 3
    case expired = 4
}

extension Code {
    /// The state of the code at `now`, with regard to its shop and staff. An open code counts as destroyed if its issuer has stopped
    /// working at the shop since issuing the code, or if this shop or the campaign's own shop has closed, by its owner's wish or with its
    /// erased owner.
    ///
    /// - Parameter home: the own shop of the code's campaign, if this is another shop; else nil.
    public func status(at now: Instant, of shop: Shop, home: Shop?) -> CodeStatus {
        let own = status(at: now)
        let isClosed = shop.closing != nil || home?.closing != nil
        return own == .open && (isClosed || shop.hasLost(issuerOf: self)) ? .destroyed : own
    }

    /// The state of the code without regard to shops and staff; `status(at:of:home:)` regards them as well. A recorded event takes
    /// precedence over the clock: a used code stays used. A code on a paper card counts as used, because nobody can type it or withdraw it,
    /// and it does not expire.
    public func status(at now: Instant) -> CodeStatus {
        if isUsed || paper != nil { return .used }
        if isDestroyed { return .destroyed }
        return Validity.holds(at: now, from: issuedAt, until: expiresAt) ? .open : .expired
    }
}

extension Code {
    public init?(opening fact: Fact) {
        guard case .codeIssued(let event) = fact.event else { return nil }
        self.init(
            id: event.code, campaign: event.campaign, shop: event.shop, secret: event.secret, attempt: event.attempt,
            stamps: event.stamps, expiresAt: event.expiresAt, issuer: fact.actor, issuedAt: fact.time, isUsed: false,
            isDestroyed: false)
        home = event.home
        position = fact.position
    }

    public mutating func evolve(_ fact: Fact) {
        switch fact.event {
        // A code that fills several cards has one `CardStamped` for each of them. The code is used from the first of these events on.
        case .cardStamped(let event) where event.code == id: isUsed = true
        case .stampReversed(let event) where event.code == id: isReversed = true
        case .paperStamped(let event) where event.code == id: paper = event.paper
        case .paperStampReversed(let event) where event.code == id: isReversed = true
        case .codeDestroyed(let event) where event.code == id: isDestroyed = true
        default: break
        }
    }
}
