extension Session: Folded {
    public init?(opening fact: Fact) {
        guard case .sessionStarted(let event) = fact.event else { return nil }
        self.init(
            id: event.session, account: event.account, token: event.token, expiresAt: event.expiresAt, isEnded: false, startedAt: fact.time)
    }

    public mutating func evolve(_ fact: Fact) {
        switch fact.event {
        case .sessionRefreshed(let event) where event.session == id:
            spent = (spent + [token]).suffix(Limits.spentTokensMax)
            token = event.token
            expiresAt = event.expiresAt
            refreshedAt = fact.time
        case .sessionEnded(let event) where event.session == id:
            isEnded = true
        default:
            break
        }
    }
}
