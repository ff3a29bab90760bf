internal import Loyalty
internal import LoyaltyCodec
internal import ReadModels

struct LiveSession {
    let account: AccountID
    var expiresAt: Instant
}

struct LivePeople {
    var accounts = RowIndex()
    var erased: Set<AccountID> = []
    var sessions: [SessionID: LiveSession] = [:]
    var suspended: Set<AccountID> = []
    /// Numbers that operators requested and that are not yet due.
    var phoneRequests: [AccountID: PhoneChangeRequested] = [:]
    var favorites: Set<Favorite> = []
    var mutes: Set<StaffPlace> = []
}

extension RuleBook {
    mutating func check(_ event: AccountRegistered, _ fact: Fact) {
        requireOnce(event.phone.value, .phone, "an account with this phone number has registered before")
        guard people.accounts.place(of: event.account.value) == nil else {
            return require(false, "account \(event.account.text) has registered before")
        }
        _ = people.accounts.insert(event.account.value)
    }

    mutating func check(_ event: SessionStarted, _ fact: Fact) {
        requireOwn(event.account, fact, "somebody else has signed in for \(event.account.text)")
        requireOnce(event.session.value, .session, "session \(event.session.text) was started before")
        requireExpiry(event.expiresAt, fact)
        people.sessions[event.session] = LiveSession(account: event.account, expiresAt: event.expiresAt)
    }

    mutating func check(_ event: SessionRefreshed, _ fact: Fact) {
        requireSession(event.session, of: event.account, fact)
        requireExpiry(event.expiresAt, fact)
        if let session = people.sessions[event.session] {
            require(fact.time < session.expiresAt, "session \(event.session.text) had expired")
            people.sessions[event.session]?.expiresAt = event.expiresAt
        }
    }

    mutating func check(_ event: SessionEnded, _ fact: Fact) {
        requireSession(event.session, of: event.account, fact, mayBeOthers: endsSessions(of: event.account, fact))
        people.sessions[event.session] = nil
    }

    mutating func check(_ event: AccountErased, _ fact: Fact) {
        // A later event of an open session would have an erased account as its actor, which is a violation anyway.
        requireOwn(event.account, fact)
        people.suspended.remove(event.account)
        people.phoneRequests[event.account] = nil
        forgetSearches(of: event.account)
        people.erased.insert(event.account)
    }

    private mutating func requireSession(_ session: SessionID, of account: AccountID, _ fact: Fact, mayBeOthers: Bool = false) {
        let live = people.sessions[session]
        require(live != nil, "session \(session.text) was never started, or is over")
        let isOwn = account == fact.actor || mayBeOthers
        require(live == nil || live?.account == account && isOwn, "session \(session.text) is somebody else's")
    }

    private mutating func requireExpiry(_ expiry: Instant, _ fact: Fact) {
        requireSoon(expiry, within: Limits.sessionValiditySeconds, fact, "the session expires at \(expiry.rfc3339)")
    }
}

extension RuleBook {
    mutating func check(_ event: FavoriteAdded, _ fact: Fact) {
        requireKeeper(event.account, event.campaign, fact)
        let favorite = Favorite(account: event.account, campaign: event.campaign)
        require(
            people.favorites.insert(favorite).inserted, "campaign \(event.campaign.text) was a favourite of \(event.account.text) already")
    }

    mutating func check(_ event: FavoriteRemoved, _ fact: Fact) {
        requireKeeper(event.account, event.campaign, fact)
        let favorite = Favorite(account: event.account, campaign: event.campaign)
        require(people.favorites.remove(favorite) != nil, "campaign \(event.campaign.text) was no favourite of \(event.account.text)")
    }

    private mutating func requireKeeper(_ account: AccountID, _ campaign: CampaignID, _ fact: Fact) {
        requireOwn(account, fact, "a favourite of \(account.text) was changed by somebody else")
        require(campaigns[campaign] != nil, "campaign \(campaign.text) was never published")
    }
}

extension RuleBook {
    /// Requires that all events of a request are consecutive and have one actor, time and digest.
    mutating func checkRequest(_ fact: Fact, _ mark: RequestMark?) {
        guard let mark else { return command.request = nil }
        if let request = command.request, request.event.request == mark.request {
            require(request.event.digest == mark.digest, kind: .request, "the events of one request have two digests")
            require(request.isContinued(by: fact), kind: .request, "the events of one request have two actors or times")
        } else {
            requireOnce(mark.request, .request, "the key of this request was used by an earlier one")
        }
        command.request = Step(mark, fact)
    }
}
