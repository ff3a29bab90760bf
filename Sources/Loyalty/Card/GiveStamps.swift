/// Stamp a customer's card at the counter, with a code that is issued and used in one step; for the owner or staff.
public struct GiveStamps: Hashable, Sendable {
    public let issue: IssueCode
    public let holder: AccountID
    /// Whether the card waits for the person who verifies the number. The caller MUST know that the number is the holder's, and that nobody
    /// has registered with it.
    public let isWaiting: Bool
    public let firstCard: CardID

    public init(issue: IssueCode, holder: AccountID, isWaiting: Bool, firstCard: CardID) {
        (self.issue, self.holder, self.isWaiting, self.firstCard) = (issue, holder, isWaiting, firstCard)
    }

    private var stamp: Stamp { Stamp(secret: issue.secret, campaign: issue.campaign, firstCard: firstCard) }
}

/// The facts that stamping at the counter needs.
public struct GiveStampsSituation: Hashable, Sendable {
    public let issue: IssueCodeSituation
    /// Without a code, because it is not issued yet.
    public let stamp: StampSituation
    public let holder: Account?
    public let isErased: Bool
}

extension GiveStamps: Decision {
    public func situation<P: Past>(in past: inout P, by actor: AccountID) throws(P.Failure) -> GiveStampsSituation {
        try situation(in: &past, by: actor, issuedAt: nil)
    }

    public func situation<P: Past>(in past: inout P, by actor: AccountID, at now: Instant) throws(P.Failure) -> GiveStampsSituation {
        try situation(in: &past, by: actor, issuedAt: now)
    }

    /// - Parameter issuedAt: nil leaves ``StampSituation/factor`` at 1.
    func situation<P: Past>(in past: inout P, by actor: AccountID, issuedAt: Instant?) throws(P.Failure) -> GiveStampsSituation {
        let issuing = try issue.situation(in: &past, by: actor)
        let account = try past.account(holder)
        let card = try past.collectingCard(of: holder, in: issue.campaign)
        let place = try? issuing.shops?.place(issue.shop, of: actor)
        var stamping = StampSituation(code: nil, campaign: issuing.campaign, shop: place ?? issuing.shops?.home, card: card)
        stamping.shops = issuing.shops
        try stamp.load(&stamping, stamps: issue.stamps, issuedAt: issuedAt, of: holder, in: &past)
        if isWaiting { stamping.tally = try past.tally(of: holder, in: issue.campaign) }
        var isErased = false
        if account == nil { isErased = try past.wasErased(holder) }
        return GiveStampsSituation(issue: issuing, stamp: stamping, holder: account, isErased: isErased)
    }

    public func decide(_ situation: GiveStampsSituation, by actor: AccountID, at now: Instant) throws(Rejection) -> [LoyaltyEvent] {
        let issued = try issue.decide(situation.issue, by: actor, at: now)
        // The event follows all that is in the log, including each end of the actor's work.
        guard let event = issued.first, let code = Code(opening: Fact(position: .max, time: now, actor: actor, event: event)) else {
            return []
        }
        guard !situation.isErased, situation.holder != nil || isWaiting else { throw .notFound }
        // The end of a shop voids its codes, but the counter should learn the reason.
        let shops = [situation.stamp.shop, situation.stamp.shops?.home]
        guard shops.allSatisfy({ $0?.closing == nil }) else { throw .shopClosed }
        let tally = situation.stamp.tally
        guard situation.holder != nil || tally.filled - tally.expired < Limits.waitingCardsMax else { throw .cardLimitReached }
        let stamped = try stamp.decide(situation.stamp.with(code), for: holder, at: now)
        return issued + stamped
    }
}
