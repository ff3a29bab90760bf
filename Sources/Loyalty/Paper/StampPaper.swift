/// Stamp a paper card at the counter; for the owner and staff of the campaign's shops. On a taken paper card, the stamps go to the
/// account's card.
public struct StampPaper: Hashable, Sendable {
    public let issue: IssueCode
    public let paper: PaperName
    public let firstCard: CardID

    public init(issue: IssueCode, paper: PaperName, firstCard: CardID) {
        (self.issue, self.paper, self.firstCard) = (issue, paper, firstCard)
    }

    private func giving(to holder: AccountID) -> GiveStamps {
        GiveStamps(issue: issue, holder: holder, isWaiting: false, firstCard: firstCard)
    }
}

/// The facts that stamping a paper card needs.
public struct StampPaperSituation: Hashable, Sendable {
    public let issue: IssueCodeSituation
    public let print: PaperPrint?
    public let paper: Paper
    /// nil for an untaken paper card.
    public let giving: GiveStampsSituation?
}

extension StampPaper: Decision {
    public func situation<P: Past>(in past: inout P, by actor: AccountID) throws(P.Failure) -> StampPaperSituation {
        try situation(in: &past, by: actor, issuedAt: nil)
    }

    public func situation<P: Past>(in past: inout P, by actor: AccountID, at now: Instant) throws(P.Failure) -> StampPaperSituation {
        try situation(in: &past, by: actor, issuedAt: now)
    }

    private func situation<P: Past>(in past: inout P, by actor: AccountID, issuedAt: Instant?) throws(P.Failure) -> StampPaperSituation {
        let issuing = try issue.situation(in: &past, by: actor)
        let known = try past.paper(paper.id) ?? Paper(paper)
        var giving: GiveStampsSituation?
        if let holder = known.holder { giving = try self.giving(to: holder).situation(in: &past, by: actor, issuedAt: issuedAt) }
        return StampPaperSituation(issue: issuing, print: try past.print(paper.print), paper: known, giving: giving)
    }

    public func decide(_ situation: StampPaperSituation, by actor: AccountID, at now: Instant) throws(Rejection) -> [LoyaltyEvent] {
        let issued = try issue.decide(situation.issue, by: actor, at: now)
        guard let print = situation.print, print.has(paper), print.campaign == issue.campaign, let campaign = situation.issue.campaign
        else { throw .paperNotValid }
        if let holder = situation.paper.holder, let known = situation.giving {
            // The counter must not learn that an account was erased.
            guard !known.isErased, known.holder != nil else { throw .paperNotValid }
            return try giving(to: holder).decide(known, by: actor, at: now)
        }
        guard case .codeIssued(let code) = issued.first else { return [] }
        if let refusal = campaign.refusal(of: code.stamps, onto: situation.paper, at: now) { throw refusal }
        let stamped = PaperStamped(
            paper: paper, code: code.code, campaign: code.campaign, shop: code.shop, home: code.home, stamps: code.stamps)
        return issued + [.paperStamped(stamped)]
    }
}

extension Campaign {
    /// nil if an untaken paper can take a code of this many stamps.
    public func refusal(of stamps: Int, onto paper: Paper, at now: Instant) -> Rejection? {
        guard paper.stamps + stamps <= terms.goal, paper.stampings < Limits.paperStampingsMax else { return .cardLimitReached }
        return terms.caps.waitSeconds(for: stamps, after: paper.gains, at: now).map { .stampedTooOften(retryAfterSeconds: $0) }
    }
}
