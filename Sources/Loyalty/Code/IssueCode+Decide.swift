extension IssueCode: Decision {
    public func situation<P: Past>(in past: inout P, by actor: AccountID) throws(P.Failure) -> IssueCodeSituation {
        let account = try past.account(actor)
        guard let known = try past.campaign(campaign) else {
            return IssueCodeSituation(actor: account, campaign: nil, shop: nil, codeWithID: nil, codeWithSecret: nil)
        }
        return IssueCodeSituation(
            actor: account, campaign: known, shop: try past.shop(known.shop), codeWithID: try past.code(code),
            codeWithSecret: try past.code(secret: secret))
    }

    public func decide(_ situation: IssueCodeSituation, by actor: AccountID, at now: Instant) throws(Rejection) -> [LoyaltyEvent] {
        guard situation.actor != nil, let known = situation.campaign, let shop = situation.shop else { throw .notFound }
        guard shop.employs(actor) else { throw .forbidden }
        guard !shop.isSuspended else { throw .suspended }
        guard known.kind == .stampCard, known.isRunning(at: now) else { throw .campaignNotRunning }
        if let existing = situation.codeWithID {
            // Another campaign's code must not be shown to whoever named its id.
            guard existing.campaign == campaign else { throw .notFound }
            return []
        }
        // Used and expired codes count: a secret is never given out twice, so an old slip of paper can never work again.
        guard situation.codeWithSecret == nil else { throw .secretTaken }
        try checkFields(known.caps)
        let expiresAt = now.advanced(bySeconds: Int64(validFor))
        return [
            .codeIssued(
                CodeIssued(
                    code: code, campaign: campaign, shop: shop.id, secret: secret, attempt: attempt, stamps: stamps,
                    expiresAt: expiresAt))
        ]
    }

    private func checkFields(_ caps: StampCaps) throws(Rejection) {
        var checks = FieldChecks()
        checks.require(stamps, in: Limits.codeStamps, "stamps")
        // A code that fits on no card in a day could never be used.
        if let most = caps.stampsPerDayMax { checks.require(stamps <= most, "stamps", "must be at most \(most), the campaign's cap a day") }
        checks.require(validFor, in: Limits.codeValiditySeconds, "validFor")
        checks.require(attempt, in: Limits.derivationAttempts, "attempt")
        try checks.verdict()
    }
}
