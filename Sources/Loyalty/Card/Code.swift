/// A one-time stamp code (集点码).
public struct Code: Hashable, Sendable {
    public let id: CodeID
    public let campaign: CampaignID
    public let shop: ShopID
    public var home: ShopID?
    public let secret: Secret
    public let attempt: Int
    public var stamps: Int
    public var expiresAt: Instant
    public let issuer: AccountID
    public let issuedAt: Instant
    /// `.max` while the issuing event is being decided, 0 for a code from a paper card.
    public private(set) var position: UInt64 = 0
    public var isUsed: Bool
    public var isDestroyed: Bool
    public var isReversed = false
    /// The paper card that has the code, even after an account took it.
    public var paper: PaperName?

    public init(
        id: CodeID, campaign: CampaignID, shop: ShopID, secret: Secret, attempt: Int, stamps: Int, expiresAt: Instant, issuer: AccountID,
        issuedAt: Instant, isUsed: Bool, isDestroyed: Bool
    ) {
        (self.id, self.campaign, self.shop, self.secret) = (id, campaign, shop, secret)
        (self.attempt, self.stamps, self.expiresAt, self.issuer) = (attempt, stamps, expiresAt, issuer)
        (self.issuedAt, self.isUsed, self.isDestroyed) = (issuedAt, isUsed, isDestroyed)
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
    /// An open code counts as destroyed if its issuer has left the shop since, or if this shop or the campaign's own shop has closed.
    ///
    /// - Parameter home: the campaign's own shop, if that is another.
    public func status(at now: Instant, of shop: Shop, home: Shop?) -> CodeStatus {
        let own = status(at: now)
        let isClosed = shop.closing != nil || home?.closing != nil
        return own == .open && (isClosed || hasLostIssuer(shop)) ? .destroyed : own
    }

    /// The order in the log decides, because the clock may have been set back.
    private func hasLostIssuer(_ shop: Shop) -> Bool { shop.employmentEnds[issuer].map { $0 > position } ?? false }

    /// Without regard to shops and staff. A code on a paper card counts as used: nobody can type or withdraw it, and it does not expire.
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
            id: event.code, campaign: event.campaign, shop: event.shop, secret: event.secret, attempt: event.attempt, stamps: event.stamps,
            expiresAt: event.expiresAt, issuer: fact.actor, issuedAt: fact.time, isUsed: false, isDestroyed: false)
        home = event.home
        position = fact.position
    }

    public mutating func evolve(_ fact: Fact) {
        switch fact.event {
        // One for each card that the code fills.
        case .cardStamped(let event) where event.code == id: isUsed = true
        case .stampReversed(let event) where event.code == id: isReversed = true
        case .paperStamped(let event) where event.code == id: paper = event.paper
        case .paperStampReversed(let event) where event.code == id: isReversed = true
        case .codeDestroyed(let event) where event.code == id: isDestroyed = true
        default: break
        }
    }
}
