extension Stamp {
    /// The code that was typed, its campaign and shop, and the card that would take the stamps.
    public func situation<P: Past>(in past: inout P, by actor: AccountID) throws(P.Failure) -> StampSituation {
        let account = try past.account(actor)
        guard let code = try past.code(secret: secret) else {
            return StampSituation(actor: account, code: nil, campaign: nil, shop: nil, card: nil)
        }
        var situation = StampSituation(
            actor: account, code: code, campaign: try past.campaign(code.campaign), shop: try past.shop(code.shop),
            card: try past.collectingCard(of: actor, in: code.campaign))
        // Looked up only where a cap will ask.
        if let campaign = situation.campaign, campaign.caps != .none { situation.gains = try past.gains(of: actor, in: campaign.id) }
        // Looked up only for cards that will be opened: a stamp on a collecting card costs nothing here.
        for number in 0..<situation.newCardCount where try past.card(newCard(number)) != nil {
            situation.isNewCardTaken = true
        }
        return situation
    }

    /// The id of the `number`th card to be opened, from 0. Wraps rather than traps: an id is a name, not an amount.
    func newCard(_ number: Int) -> CardID {
        CardID(firstCard.value &+ UInt128(number))
    }
}
