/// Stamp a customer's card at the counter: a code is issued and used in one step; for the owner or staff.
///
/// The customer shows a badge or says a phone number, and types nothing. These stamps are treated like those of any other code: in the
/// shop's statistics, by the campaign's caps, and in a reversal.
public struct GiveStamps: Hashable, Sendable {
    /// The command that issues the code. Nobody sees this code.
    public let issue: IssueCode
    public let holder: AccountID
    /// Whether the holder has not registered yet. The card then belongs to the person who later verifies the holder's number.
    ///
    /// The caller MUST know that the number is the holder's, and that nobody has registered with it.
    public let isWaiting: Bool
    /// The id of the first card that has to be opened. Each further card has the next number as its id.
    public let firstCard: CardID

    public init(issue: IssueCode, holder: AccountID, isWaiting: Bool, firstCard: CardID) {
        (self.issue, self.holder, self.isWaiting, self.firstCard) = (issue, holder, isWaiting, firstCard)
    }

    /// The command that enters the code.
    private var stamp: Stamp { Stamp(secret: issue.secret, campaign: issue.campaign, firstCard: firstCard) }
}

/// The facts that stamping at the counter needs.
public struct GiveStampsSituation: Hashable, Sendable {
    public let issue: IssueCodeSituation
    /// The facts about the holder and their card, without a code, because it is not issued yet.
    public let stamp: StampSituation
    /// Whether the holder was erased.
    public let isErased: Bool

    public init(issue: IssueCodeSituation, stamp: StampSituation, isErased: Bool) {
        (self.issue, self.stamp, self.isErased) = (issue, stamp, isErased)
    }
}

extension GiveStamps: Decision {
    public func situation<P: Past>(in past: inout P, by actor: AccountID) throws(P.Failure) -> GiveStampsSituation {
        try situation(in: &past, by: actor, issuedAt: nil)
    }

    /// The code is issued now, so the bonus hours at `now` apply.
    public func situation<P: Past>(in past: inout P, by actor: AccountID, at now: Instant) throws(P.Failure) -> GiveStampsSituation {
        try situation(in: &past, by: actor, issuedAt: now)
    }

    /// Gathers the facts about the code to issue, the holder and their card.
    ///
    /// - Parameter issuedAt: the time at which the code is issued. With nil, no bonus hours apply: ``StampSituation/factor`` stays 1.
    func situation<P: Past>(
        in past: inout P, by actor: AccountID, issuedAt: Instant?
    ) throws(P.Failure) -> GiveStampsSituation {
        let issuing = try issue.situation(in: &past, by: actor)
        let account = try past.account(holder)
        let card = try past.collectingCard(of: holder, in: issue.campaign)
        // If the actor may not act at the shop, the decision will refuse the command anyway, so the facts are loaded for the campaign's own
        // shop.
        let place = try? issuing.shops?.place(issue.shop, of: actor)
        var stamping = StampSituation(
            actor: account, code: nil, campaign: issuing.campaign, shop: place ?? issuing.shops?.home, card: card)
        stamping.shops = issuing.shops
        try stamp.load(&stamping, stamps: issue.stamps, issuedAt: issuedAt, of: holder, in: &past)
        if isWaiting { stamping.tally = try past.tally(of: holder, in: issue.campaign) }
        var isErased = false
        if account == nil { isErased = try past.wasErased(holder) }
        return GiveStampsSituation(issue: issuing, stamp: stamping, isErased: isErased)
    }

    public func decide(_ situation: GiveStampsSituation, by actor: AccountID, at now: Instant) throws(Rejection) -> [LoyaltyEvent] {
        let issued = try issue.decide(situation.issue, by: actor, at: now)
        // The code's event has no position yet. It will come after all that is in the log, and so after each end of the actor's work.
        guard let event = issued.first, let code = Code(opening: Fact(position: .max, time: now, actor: actor, event: event)) else {
            return []
        }
        guard !situation.isErased, situation.stamp.actor != nil || isWaiting else { throw .notFound }
        // The end of a shop makes its codes void, but the counter should learn the reason.
        let shops = [situation.stamp.shop, situation.stamp.shops?.home]
        guard shops.allSatisfy({ $0?.closing == nil }) else { throw .shopClosed }
        let tally = situation.stamp.tally
        guard situation.stamp.actor != nil || tally.filled - tally.expired < Limits.waitingCardsMax else { throw .cardLimitReached }
        let stamped = try stamp.decide(situation.stamp.with(code), for: holder, at: now)
        return issued + stamped
    }
}
