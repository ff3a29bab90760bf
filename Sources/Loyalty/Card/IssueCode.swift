/// Issue a one-time stamp code while the campaign runs; for the owner and staff of its shops.
public struct IssueCode: Hashable, Sendable {
    public let code: CodeID
    public let campaign: CampaignID
    public let secret: Secret
    public let attempt: Int
    /// 1 to 10.
    public let stamps: Int
    /// Seconds, 1 to 86,400.
    public let validFor: Int
    /// nil for the shop where the actor works, see ``CampaignShops/place(_:of:)``.
    public let shop: ShopID?

    public init(code: CodeID, campaign: CampaignID, secret: Secret, attempt: Int, stamps: Int, validFor: Int, shop: ShopID? = nil) {
        (self.shop, self.code, self.campaign, self.secret) = (shop, code, campaign, secret)
        (self.attempt, self.stamps, self.validFor) = (attempt, stamps, validFor)
    }
}

/// The facts that issuing a stamp code needs.
public struct IssueCodeSituation: Hashable, Sendable {
    public let campaign: Campaign?
    public let shops: CampaignShops?
    public let codeWithID: Code?
    public let codeWithSecret: Code?
}

extension IssueCode: Decision {
    public func situation<P: Past>(in past: inout P, by actor: AccountID) throws(P.Failure) -> IssueCodeSituation {
        guard let known = try past.campaign(campaign) else {
            return IssueCodeSituation(campaign: nil, shops: nil, codeWithID: nil, codeWithSecret: nil)
        }
        return try situation(in: &past, known, try .load(of: known, in: &past))
    }

    fileprivate func situation<P: Past>(
        in past: inout P, _ campaign: Campaign?, _ shops: CampaignShops?
    ) throws(P.Failure) -> IssueCodeSituation {
        IssueCodeSituation(campaign: campaign, shops: shops, codeWithID: try past.code(code), codeWithSecret: try past.code(secret: secret))
    }

    public func decide(_ situation: IssueCodeSituation, by actor: AccountID, at now: Instant) throws(Rejection) -> [LoyaltyEvent] {
        guard let known = situation.campaign, let shops = situation.shops else { throw .notFound }
        let shop = try shops.place(self.shop, of: actor)
        guard !shop.isSuspended, !shops.home.isSuspended else { throw .suspended }
        guard known.kind == .stampCard, known.isRunning(at: now) else { throw .campaignNotRunning }
        if let existing = situation.codeWithID {
            // The actor must not learn of a code of another campaign.
            guard existing.campaign == campaign else { throw .notFound }
            return []
        }
        // No code is issued twice, so that an old slip of paper can never become valid again.
        guard situation.codeWithSecret == nil else { throw .secretTaken }
        try checkFields(known.caps)
        let expiresAt = now.advanced(bySeconds: Int64(validFor))
        let issued = CodeIssued(
            code: code, campaign: campaign, shop: shop.id, home: known.home(besides: shop.id), secret: secret, attempt: attempt,
            stamps: stamps, expiresAt: expiresAt)
        return [.codeIssued(issued)]
    }

    private func checkFields(_ caps: StampCaps) throws(Rejection) {
        var checks = FieldChecks()
        checks.require(stamps, in: Limits.codeStamps, "stamps")
        // A code with more stamps than the daily cap could never be used.
        if let most = caps.stampsPerDayMax { checks.require(stamps <= most, "stamps", .aboveDailyCap(most)) }
        checks.require(validFor, in: Limits.codeValiditySeconds, "validFor")
        checks.require(attempt, in: Limits.derivationAttempts, "attempt")
        try checks.verdict()
    }
}

/// Issue several codes at once, for a strip of receipts.
public struct IssueStrip: Hashable, Sendable {
    /// 1 to ``Limits/stripCodesMax`` codes, all with the same campaign, stamps and validity.
    public let codes: [IssueCode]

    public init(codes: [IssueCode]) { self.codes = codes }
}

extension IssueStrip: Decision {
    public func situation<P: Past>(in past: inout P, by actor: AccountID) throws(P.Failure) -> [IssueCodeSituation] {
        var situations: [IssueCodeSituation] = []
        for code in codes.prefix(Limits.stripCodesMax) {
            guard let first = situations.first, code.campaign == first.campaign?.id else {
                situations.append(try code.situation(in: &past, by: actor))
                guard situations[0].shops?.employs(actor) == true else { break }
                continue
            }
            situations.append(try code.situation(in: &past, first.campaign, first.shops))
        }
        return situations
    }

    /// Issues all codes or none.
    public func decide(_ situation: [IssueCodeSituation], by actor: AccountID, at now: Instant) throws(Rejection) -> [LoyaltyEvent] {
        try FieldChecks.check { $0.require(codes.count, in: 1...Limits.stripCodesMax, "count") }
        // Two codes of the strip may by chance be equal.
        guard Set(codes.map(\.secret)).count == codes.count else { throw .secretTaken }
        var events: [LoyaltyEvent] = []
        for (code, situation) in zip(codes, situation) { events += try code.decide(situation, by: actor, at: now) }
        return events
    }
}
