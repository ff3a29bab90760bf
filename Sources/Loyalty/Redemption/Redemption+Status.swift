extension Redemption {
    /// Whether the code was used, be it that the reward was taken back since.
    public var isRedeemed: Bool { redeemedAt != nil }

    /// What the redemption is at `now`, given its card's `newestRedemption` and status. Its code works exactly while `pending`.
    ///
    /// One whose card was emptied or thrown away before its time is as good as expired.
    public func status(at now: Instant, newest: RedemptionID?, cardStatus: CardStatus) -> RedemptionStatus {
        if isReversed { return .reversed }
        if isRedeemed { return .redeemed }
        guard newest == nil || newest == id else { return .replaced }
        let holds = Validity.holds(at: now, from: requestedAt, until: expiresAt)
        return cardStatus == .full && holds ? .pending : .expired
    }
}
