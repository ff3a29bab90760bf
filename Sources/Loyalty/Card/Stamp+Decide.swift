extension Stamp: Decision {
    /// One code adds its stamps once, to its own campaign, before it expires, while the campaign runs; never for its own shop.
    ///
    /// Whether the code is good is said first, and in one word for every reason, so that guessing codes teaches nothing.
    public func decide(_ situation: StampSituation, by actor: AccountID, at now: Instant) throws(Rejection) -> [LoyaltyEvent] {
        guard situation.actor != nil else { throw .notFound }
        guard let code = situation.code, let shop = situation.shop, code.status(at: now, of: shop) == .open,
            campaign == nil || campaign == code.campaign, let running = situation.campaign, running.goal > 0
        else { throw .codeNotValid }
        guard !shop.employs(actor) else { throw .ownCampaign }
        guard !shop.isSuspended else { throw .suspended }
        guard running.isRunning(at: now) else { throw .campaignNotRunning }
        if let seconds = running.caps.waitSeconds(for: code.stamps, after: situation.gains, at: now) {
            throw .stampedTooOften(retryAfterSeconds: seconds)
        }
        guard !situation.isNewCardTaken else { throw .notFound }
        return fill(situation.card, from: code, of: running, for: actor)
    }

    /// Fills the collecting card first and opens as many more as the rest needs.
    private func fill(_ card: Card?, from code: Code, of campaign: Campaign, for holder: AccountID) -> [LoyaltyEvent] {
        var events: [LoyaltyEvent] = []
        var left = code.stamps
        func stamp(_ card: CardID, room: Int) {
            let added = min(left, room)
            left -= added
            events.append(
                .cardStamped(
                    CardStamped(card: card, code: code.id, campaign: code.campaign, shop: code.shop, holder: holder, stamps: added)))
        }
        if let card, card.room > 0 { stamp(card.id, room: card.room) }
        var opened = 0
        while left > 0 {
            let card = newCard(opened)
            events.append(.cardOpened(opening(card, in: campaign, for: holder)))
            stamp(card, room: campaign.goal)
            opened += 1
        }
        return events
    }

    private func opening(_ card: CardID, in campaign: Campaign, for holder: AccountID) -> CardOpened {
        CardOpened(
            card: card, campaign: campaign.id, shop: campaign.shop, holder: holder, goal: campaign.goal, reward: campaign.reward)
    }
}
