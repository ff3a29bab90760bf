/// Adds stamps to a card or removes some. The caller MUST know that the actor is an operator.
///
/// If the command is repeated, the card is adjusted again. A client that may have to retry names the version of the card that it expects,
/// or uses an idempotency key.
///
/// The service contract requires an idempotency key only where a customer gains stamps or rewards, so an operator may adjust a card without
/// one. A request may name the expected version of the card in `If-Match`.
public struct AdjustCard: Hashable, Sendable {
    public let card: CardID
    /// The version of the card that the operator saw.
    public let expected: ExpectedVersion
    public let stamps: Int
    public let reason: TypedText

    public init(card: CardID, expected: ExpectedVersion, stamps: Int, reason: TypedText) {
        self.card = card
        self.expected = expected
        self.stamps = stamps
        self.reason = reason
    }
}

/// The facts that adjusting a card needs.
public struct AdjustCardSituation: Hashable, Sendable {
    public let actor: Account?
    public let card: Card?
    /// The card on which the holder collects in the same campaign; it may be the adjusted card itself.
    public let collecting: Card?

    public init(actor: Account?, card: Card?, collecting: Card?) {
        self.actor = actor
        self.card = card
        self.collecting = collecting
    }
}

extension AdjustCard: Decision {
    public func situation<P: Past>(in past: inout P, by actor: AccountID) throws(P.Failure) -> AdjustCardSituation {
        let account = try past.account(actor)
        guard let known = try past.card(card) else { return AdjustCardSituation(actor: account, card: nil, collecting: nil) }
        let collecting = try past.collectingCard(of: known.holder, in: known.campaign)
        return AdjustCardSituation(actor: account, card: known, collecting: collecting)
    }

    public func decide(_ situation: AdjustCardSituation, by actor: AccountID, at now: Instant) throws(Rejection) -> [LoyaltyEvent] {
        guard situation.actor != nil, let known = situation.card else { throw .notFound }
        try expected.check(known.version)
        // If the time of the holder's collecting card is over, the adjusted card may become the collecting card.
        let other = situation.collecting.flatMap { $0.id == card ? nil : $0 }
        let ended = other?.expiry(at: now)
        try checkFields(known, ended == nil ? situation.collecting : nil, at: now)
        return (ended.map { [.cardExpired($0)] } ?? []) + [
            .cardAdjusted(
                CardAdjusted(
                    card: card, campaign: known.campaign, shop: known.shop, holder: known.holder, stamps: stamps, reason: reason))
        ]
    }

    private func checkFields(_ known: Card, _ collecting: Card?, at now: Instant) throws(Rejection) {
        var checks = FieldChecks()
        checks.require(reason, within: Limits.reason, "reason")
        if let fault = fault(for: known, collecting, at: now) { checks.require(false, "stamps", fault) }
        try checks.verdict()
    }

    /// The reason why the card cannot take this adjustment, or `nil`.
    private func fault(for known: Card, _ collecting: Card?, at now: Instant) -> FieldFault? {
        guard stamps != 0, Limits.adjustmentStamps.contains(stamps) else { return .zeroOrOutside(Limits.adjustmentStamps) }
        switch known.status(at: now) {
        case .redeemed: return .redeemedCard
        case .discarded: return .discardedCard
        case .expired: return .expiredCard
        case .collecting, .full: break
        }
        // The card keeps the stamps of its redeemed milestones. They can be removed only after the milestone's reward was taken back.
        let possible = min(known.stampsSpoken, known.goal)...known.goal
        guard possible.contains(known.stamps + stamps) else { return .stampsLeft(possible) }
        // A holder collects on one card of a campaign at a time. With two collecting cards, it would be unclear which of them the next code
        // fills.
        let collectsAgain = known.status == .full && known.stamps + stamps < known.goal
        if collectsAgain, collecting != nil { return .otherCardCollects }
        return nil
    }
}
