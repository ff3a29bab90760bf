extension Redemption {
    /// What the redemption is at `now`, given its card's `newestRedemption` and status. Its code works exactly while `pending`.
    ///
    /// A card asks for a new code only while it is full. So a redeemed one that is no longer the newest, or whose card is full
    /// again, was reversed; and one whose card was emptied or thrown away before its time is as good as expired.
    public func status(at now: Instant, newest: RedemptionID?, cardStatus: CardStatus) -> RedemptionStatus {
        let isNewest = newest == nil || newest == id
        if isRedeemed { return isNewest && cardStatus != .full ? .redeemed : .reversed }
        guard isNewest else { return .replaced }
        return cardStatus == .full && now < expiresAt ? .pending : .expired
    }
}
