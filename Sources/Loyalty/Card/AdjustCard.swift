/// Adds stamps to a card or removes some. The caller MUST know that the actor is an operator. A retry needs a version or an idempotency
/// key.
public struct AdjustCard: Hashable, Sendable {
    public let card: CardID
    public let expected: ExpectedVersion
    public let stamps: Int
    public let reason: TypedText

    public init(card: CardID, expected: ExpectedVersion, stamps: Int, reason: TypedText) {
        (self.card, self.expected, self.stamps, self.reason) = (card, expected, stamps, reason)
    }
}

/// The facts that adjusting a card needs.
public struct AdjustCardSituation: Hashable, Sendable {
    public let card: Card?
    /// May be the adjusted card itself.
    public let collecting: Card?
}

extension AdjustCard: Decision {
    public func situation<P: Past>(in past: inout P, by actor: AccountID) throws(P.Failure) -> AdjustCardSituation {
        guard let known = try past.card(card) else { return AdjustCardSituation(card: nil, collecting: nil) }
        let collecting = try past.collectingCard(of: known.holder, in: known.campaign)
        return AdjustCardSituation(card: known, collecting: collecting)
    }

    public func decide(_ situation: AdjustCardSituation, by actor: AccountID, at now: Instant) throws(Rejection) -> [LoyaltyEvent] {
        guard let known = situation.card else { throw .notFound }
        try expected.check(known.version)
        // The adjusted card may take the place of an expired collecting card.
        let other = situation.collecting.flatMap { $0.id == card ? nil : $0 }
        let ended = other?.expiry(at: now)
        try checkFields(known, ended == nil ? situation.collecting : nil, at: now)
        let adjusted = CardAdjusted(
            card: card, campaign: known.campaign, shop: known.shop, holder: known.holder, stamps: stamps, reason: reason)
        return (ended.map { [.cardExpired($0)] } ?? []) + [.cardAdjusted(adjusted)]
    }

    private func checkFields(_ known: Card, _ collecting: Card?, at now: Instant) throws(Rejection) {
        var checks = FieldChecks()
        checks.require(reason, within: Limits.reason, "reason")
        if let fault = fault(for: known, collecting, at: now) { checks.require(false, "stamps", fault) }
        try checks.verdict()
    }

    private func fault(for known: Card, _ collecting: Card?, at now: Instant) -> FieldFault? {
        guard stamps != 0, Limits.adjustmentStamps.contains(stamps) else { return .zeroOrOutside(Limits.adjustmentStamps) }
        switch known.status(at: now) {
        case .redeemed: return .redeemedCard
        case .discarded: return .discardedCard
        case .expired: return .expiredCard
        case .collecting, .full: break
        }
        // The stamps of a redeemed milestone stay until its reward is taken back.
        let possible = min(known.stampsSpoken, known.goal)...known.goal
        guard possible.contains(known.stamps + stamps) else { return .stampsLeft(possible) }
        // Two collecting cards would make the next code ambiguous.
        let collectsAgain = known.status == .full && known.stamps + stamps < known.goal
        if collectsAgain, collecting != nil { return .otherCardCollects }
        return nil
    }
}
