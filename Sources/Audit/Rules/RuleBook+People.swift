internal import Loyalty
internal import LoyaltyCodec
internal import ReadModels

/// A refresh-token family that is not over.
struct LiveSession {
    let account: AccountID
    var expiresAt: Instant
}

extension RuleBook {
    mutating func check(_ event: AccountRegistered, _ fact: Fact) {
        requireOnce(event.phone.value, .phone, "an account with this phone number has registered before")
        guard accounts.place(of: event.account.value) == nil else {
            return require(false, "account \(event.account.text) has registered before")
        }
        _ = accounts.insert(event.account.value)
    }

    mutating func check(_ event: SessionStarted, _ fact: Fact) {
        requireAccount(event.account)
        require(event.account == fact.actor, "somebody else has signed in for \(event.account.text)")
        requireOnce(event.session.value, .session, "session \(event.session.text) was started before")
        requireExpiry(event.expiresAt, fact)
        sessions[event.session] = LiveSession(account: event.account, expiresAt: event.expiresAt)
    }

    mutating func check(_ event: SessionRefreshed, _ fact: Fact) {
        requireSession(event.session, of: event.account, fact)
        requireExpiry(event.expiresAt, fact)
        if let session = sessions[event.session] {
            require(fact.time < session.expiresAt, "session \(event.session.text) had expired")
            sessions[event.session]?.expiresAt = event.expiresAt
        }
    }

    mutating func check(_ event: SessionEnded, _ fact: Fact) {
        requireSession(event.session, of: event.account, fact)
        sessions[event.session] = nil
    }

    mutating func check(_ event: AccountErased, _ fact: Fact) {
        // A session that went on would show as something that the account did later.
        requireOwn(event.account, fact)
        erased.insert(event.account)
    }

    /// What people do with their own account.
    mutating func requireOwn(_ account: AccountID, _ fact: Fact) {
        requireAccount(account)
        require(account == fact.actor, "\(fact.actor.text) changed the account of \(account.text)")
    }

    private mutating func requireSession(_ session: SessionID, of account: AccountID, _ fact: Fact) {
        let live = sessions[session]
        require(live != nil, "session \(session.text) was never started, or is over")
        require(live == nil || live?.account == account && account == fact.actor, "session \(session.text) is somebody else's")
    }

    private mutating func requireExpiry(_ expiry: Instant, _ fact: Fact) {
        let latest = fact.time.advanced(bySeconds: Limits.sessionValiditySeconds)
        require(expiry > fact.time && expiry <= latest, "the session expires at \(expiry.rfc3339)")
    }
}
