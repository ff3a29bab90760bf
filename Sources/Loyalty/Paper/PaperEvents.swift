/// A shop printed cards of a campaign.
public struct PaperCardsPrinted: Hashable, Sendable {
    public let print: PrintID
    public let campaign: CampaignID
    public let shop: ShopID
    /// Keyed hash of the first half of each card's code.
    public let secret: Secret
    /// Which derivation from the id gave that half; above 0 only after a collision.
    public let attempt: Int
    /// 1 to 500.
    public let count: Int

    public init(print: PrintID, campaign: CampaignID, shop: ShopID, secret: Secret, attempt: Int, count: Int) {
        (self.print, self.campaign, self.shop) = (print, campaign, shop)
        (self.secret, self.attempt, self.count) = (secret, attempt, count)
    }
}

/// The shop stamped a card on paper: the code that was issued with the event before waits there.
public struct PaperStamped: Hashable, Sendable {
    public let paper: PaperName
    public let code: CodeID
    public let campaign: CampaignID
    /// The shop that issued the code.
    public let shop: ShopID
    /// The campaign's shop where that is another.
    public let home: ShopID?
    /// The code's worth, 1 to 10.
    public let stamps: Int

    public init(paper: PaperName, code: CodeID, campaign: CampaignID, shop: ShopID, home: ShopID? = nil, stamps: Int) {
        self.home = home
        (self.paper, self.code, self.campaign, self.shop, self.stamps) = (paper, code, campaign, shop, stamps)
    }
}

/// An account took a card on paper. The events of the codes that waited follow in the same step.
public struct PaperCardTaken: Hashable, Sendable {
    public let paper: PaperName
    public let campaign: CampaignID
    public let shop: ShopID
    public let holder: AccountID
    /// The worth of the codes that follow, 0 to 50. It is less than what waited where the account may fill no further card: the
    /// rest lapses.
    public let stamps: Int

    public init(paper: PaperName, campaign: CampaignID, shop: ShopID, holder: AccountID, stamps: Int) {
        (self.paper, self.campaign, self.shop, self.holder, self.stamps) = (paper, campaign, shop, holder, stamps)
    }
}

/// The shop took back a code that waited on paper: it waits no more.
public struct PaperStampReversed: Hashable, Sendable {
    public let paper: PaperName
    public let code: CodeID
    public let campaign: CampaignID
    /// The shop that issued the code.
    public let shop: ShopID
    /// The campaign's shop where that is another.
    public let home: ShopID?
    /// The code's worth, 1 to 10.
    public let stamps: Int
    public let reason: TypedText

    public init(
        paper: PaperName, code: CodeID, campaign: CampaignID, shop: ShopID, home: ShopID? = nil, stamps: Int, reason: TypedText
    ) {
        self.home = home
        (self.paper, self.code, self.campaign, self.shop) = (paper, code, campaign, shop)
        (self.stamps, self.reason) = (stamps, reason)
    }
}

extension LoyaltyEvent {
    /// The card on paper that this is about.
    public var paper: PaperName? {
        switch self {
        case .paperStamped(let event): event.paper
        case .paperCardTaken(let event): event.paper
        case .paperStampReversed(let event): event.paper
        default: nil
        }
    }
}
