internal import Loyalty
internal import LoyaltyCodec

extension RuleBook {
    mutating func check(_ event: PhoneChanged, _ fact: Fact) {
        requireAccount(event.account)
        require(
            isDue(event, at: fact.time) || event.account == fact.actor,
            "\(fact.actor.text) changed the number of \(event.account.text) before its time")
        people.phoneRequests[event.account] = nil
        command.endingSessions = Step(event.account, fact)
    }

    /// Whether an operator requested the number, and its waiting time is over.
    private func isDue(_ event: PhoneChanged, at time: Instant) -> Bool {
        people.phoneRequests[event.account].map { $0.sealedPhone == event.sealedPhone && $0.holdsAt <= time } ?? false
    }

    mutating func check(_ event: PhoneChangeRequested, _ fact: Fact) {
        requireAccount(event.account)
        requireAccount(fact.actor)
        require(!people.erased.contains(event.account), "\(event.account.text) was erased before")
        let latest = fact.time.advanced(bySeconds: Limits.phoneChangeSeconds)
        require(event.holdsAt == latest, "the number of \(event.account.text) holds at \(event.holdsAt.rfc3339)")
        let pending = people.phoneRequests[event.account]
        require(pending.map { fact.time < $0.holdsAt } ?? true, "the number asked for before is the one of \(event.account.text)")
        people.phoneRequests[event.account] = event
    }

    mutating func check(_ event: PhoneChangeEnded, _ fact: Fact) {
        requireOwn(event.account, fact)
        let pending = people.phoneRequests.removeValue(forKey: event.account)
        require(pending.map { fact.time < $0.holdsAt } ?? false, "no number was asked for \(event.account.text), or it held already")
    }

    /// No event shows which accounts are operators, so any other registered account may be the actor.
    mutating func check(_ event: AccountSuspended, _ fact: Fact) {
        requireAccount(event.account)
        requireAccount(fact.actor)
        require(event.account != fact.actor, "\(event.account.text) suspended itself")
        require(!people.erased.contains(event.account), "\(event.account.text) was erased before")
        require(people.suspended.insert(event.account).inserted, "\(event.account.text) was suspended already")
        command.endingSessions = Step(event.account, fact)
    }

    mutating func check(_ event: AccountReinstated, _ fact: Fact) {
        requireAccount(fact.actor)
        require(people.suspended.remove(event.account) != nil, "\(event.account.text) was not suspended")
    }

    mutating func check(_ event: AccountSearched, _ fact: Fact) {
        requireAccount(fact.actor)
        // A member may find somebody who has not registered yet.
        if let shop = event.shop { return requireStaff(shop, fact) }
        if let account = event.account { requireAccount(account) }
    }

    /// Requires that a suspended account only ends what it has, erases itself, or gets a requested number that is due.
    mutating func checkStanding(_ fact: Fact) {
        guard people.suspended.contains(fact.actor) else { return }
        switch fact.event {
        case .sessionEnded, .accountErased, .employmentEnded, .invitationEnded, .campaignEnded, .shopClosed: break
        case .phoneChanged(let event) where event.account == fact.actor && isDue(event, at: fact.time): break
        default: require(false, "\(fact.actor.text) was suspended")
        }
    }

    /// Whether ``OpenCommand/endingSessions`` allows the actor to end the account's session.
    func endsSessions(of account: AccountID, _ fact: Fact) -> Bool {
        command.endingSessions.map { $0.event == account && $0.isContinued(by: fact) } ?? false
    }
}
