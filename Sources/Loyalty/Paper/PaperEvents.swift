/// A shop printed paper cards of a campaign.
public struct PaperCardsPrinted: Hashable, Sendable {
    public let print: PrintID
    public let campaign: CampaignID
    public let shop: ShopID
    /// Keyed hash of the first half of a card's code. The half is the same on all cards of the print.
    public let secret: Secret
    /// The number of derived codes that were skipped because they were already in use; nearly always 0. The first half of the codes is
    /// derived from the print's id and this number.
    public let attempt: Int
    /// The number of paper cards that were printed at once, 1 to 500.
    public let count: Int

    public init(print: PrintID, campaign: CampaignID, shop: ShopID, secret: Secret, attempt: Int, count: Int) {
        (self.print, self.campaign, self.shop) = (print, campaign, shop)
        (self.secret, self.attempt, self.count) = (secret, attempt, count)
    }
}

/// The shop stamped a paper card. The previous event issued a code, which is now a waiting code of this paper card.
public struct PaperStamped: Hashable, Sendable {
    public let paper: PaperName
    public let code: CodeID
    public let campaign: CampaignID
    /// The shop that issued the code.
    public let shop: ShopID
    /// The campaign's own shop if ``shop`` is another shop; otherwise nil.
    public let home: ShopID?
    /// The stamps that the code is worth, 1 to 10.
    public let stamps: Int

    public init(paper: PaperName, code: CodeID, campaign: CampaignID, shop: ShopID, home: ShopID? = nil, stamps: Int) {
        self.home = home
        (self.paper, self.code, self.campaign, self.shop, self.stamps) = (paper, code, campaign, shop, stamps)
    }
}

/// An account took a paper card. The events that follow in the same step use the waiting codes for the account's cards.
public struct PaperCardTaken: Hashable, Sendable {
    public let paper: PaperName
    public let campaign: CampaignID
    public let shop: ShopID
    public let holder: AccountID
    /// The total worth of the waiting codes that were used, in stamps, 0 to 50. If the account may fill no further card, the remaining
    /// waiting codes are not used, and their stamps are lost.
    public let stamps: Int

    public init(paper: PaperName, campaign: CampaignID, shop: ShopID, holder: AccountID, stamps: Int) {
        (self.paper, self.campaign, self.shop, self.holder, self.stamps) = (paper, campaign, shop, holder, stamps)
    }
}

/// The shop took back a waiting code of a paper card.
public struct PaperStampReversed: Hashable, Sendable {
    public let paper: PaperName
    public let code: CodeID
    public let campaign: CampaignID
    /// The shop that issued the code.
    public let shop: ShopID
    /// The campaign's own shop if ``shop`` is another shop; otherwise nil.
    public let home: ShopID?
    /// The stamps that the code is worth, 1 to 10.
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
    /// The paper card that the event is about; nil for an event that is about no paper card.
    public var paper: PaperName? {
        switch self {
        case .paperStamped(let event): event.paper
        case .paperCardTaken(let event): event.paper
        case .paperStampReversed(let event): event.paper
        default: nil
        }
    }
}
