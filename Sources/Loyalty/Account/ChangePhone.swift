/// Give the actor's account another phone number, and end its other sessions. The caller MUST have verified both numbers.
public struct ChangePhone: Hashable, Sendable {
    public let sealedPhone: Sealed
    /// The number when the caller verified the change, which is refused if another command has replaced it since.
    public let replacing: Sealed
    /// The only session that continues; `nil` to end all.
    public let keeping: SessionID?

    public init(sealedPhone: Sealed, replacing: Sealed, keeping: SessionID?) {
        (self.sealedPhone, self.replacing, self.keeping) = (sealedPhone, replacing, keeping)
    }
}

/// The facts that decisions about an account's number or suspension need.
public struct AccountSituation: Hashable, Sendable {
    public let account: Account?
    public let sessions: [Session]

    static func load<P: Past>(_ account: AccountID, in past: inout P) throws(P.Failure) -> AccountSituation {
        AccountSituation(account: try past.account(account), sessions: try past.openSessions(of: account))
    }

    func existing() throws(Rejection) -> Account {
        guard let account else { throw .notFound }
        return account
    }
}

/// Checks only the size, which bounds the event. The service checked the number before sealing.
private func checkPhone(_ sealed: Sealed) throws(Rejection) {
    var checks = FieldChecks()
    let isShort = !sealed.bytes.isEmpty && sealed.bytes.count <= Limits.sealedPhoneBytesMax
    checks.require(isShort, "phone", .sealedBytes(max: Limits.sealedPhoneBytesMax))
    try checks.verdict()
}

extension ChangePhone: Decision {
    public func situation<P: Past>(in past: inout P, by actor: AccountID) throws(P.Failure) -> AccountSituation {
        try .load(actor, in: &past)
    }

    /// Also withdraws a requested number, because the holder has proved which number is theirs.
    public func decide(_ situation: AccountSituation, by actor: AccountID, at now: Instant) throws(Rejection) -> [LoyaltyEvent] {
        let account = try situation.existing()
        guard account.sealedPhone(at: now) == replacing else { throw .passwordNotValid }
        try checkPhone(sealedPhone)
        return [.phoneChanged(PhoneChanged(account: actor, sealedPhone: sealedPhone))]
            + situation.sessions.endings(except: keeping)
    }
}

/// Request another number for an account whose holder lost the present one. The caller MUST know that the actor is an operator.
public struct RequestPhoneChange: Hashable, Sendable {
    public let account: AccountID
    public let sealedPhone: Sealed
    public let reason: TypedText
    /// Decides whether an earlier request has taken effect, so that a fast clock does not bring it into force.
    public let dueBy: Instant

    public init(account: AccountID, sealedPhone: Sealed, reason: TypedText, dueBy: Instant = Instant(microseconds: .max)) {
        (self.account, self.sealedPhone, self.reason, self.dueBy) = (account, sealedPhone, reason, dueBy)
    }
}

extension RequestPhoneChange: Decision {
    public func situation<P: Past>(in past: inout P, by actor: AccountID) throws(P.Failure) -> AccountSituation {
        try .load(account, in: &past)
    }

    /// Replaces a pending request and restarts the waiting time, but first records one that has taken effect.
    public func decide(_ situation: AccountSituation, by actor: AccountID, at now: Instant) throws(Rejection) -> [LoyaltyEvent] {
        let known = try situation.existing()
        try FieldChecks.check { $0.require(reason, within: Limits.reason, "reason") }
        try checkPhone(sealedPhone)
        let due = min(now, dueBy)
        if let coming = known.comingPhone, coming.sealedPhone == sealedPhone, !coming.holds(at: due) { return [] }
        let holdsAt = now.advanced(bySeconds: Limits.phoneChangeSeconds)
        let asked = PhoneChangeRequested(account: account, sealedPhone: sealedPhone, reason: reason, holdsAt: holdsAt)
        return known.phoneComingToHold(situation.sessions, at: due) + [.phoneChangeRequested(asked)]
    }
}

/// Object to the phone number that an operator requested for the actor's account.
public struct ObjectToPhoneChange: Hashable, Sendable {
    public init() {}
}

extension ObjectToPhoneChange: Decision {
    public func situation<P: Past>(in past: inout P, by actor: AccountID) throws(P.Failure) -> AccountSituation {
        try .load(actor, in: &past)
    }

    public func decide(_ situation: AccountSituation, by actor: AccountID, at now: Instant) throws(Rejection) -> [LoyaltyEvent] {
        let account = try situation.existing()
        guard let coming = account.comingPhone, !coming.holds(at: now) else { throw .notFound }
        return [.phoneChangeEnded(PhoneChangeEnded(account: actor))]
    }
}

/// Record that a requested number has become the actor's. Time alone causes this, so even a suspended actor may give the command.
public struct CompletePhoneChange: Hashable, Sendable {
    public init() {}
}

extension CompletePhoneChange: Decision {
    public func situation<P: Past>(in past: inout P, by actor: AccountID) throws(P.Failure) -> AccountSituation {
        try .load(actor, in: &past)
    }

    public func decide(_ situation: AccountSituation, by actor: AccountID, at now: Instant) throws(Rejection) -> [LoyaltyEvent] {
        try situation.existing().phoneComingToHold(situation.sessions, at: now)
    }
}

extension Account {
    /// All sessions end, because they may be on the lost phone.
    fileprivate func phoneComingToHold(_ sessions: [Session], at now: Instant) -> [LoyaltyEvent] {
        guard let coming = comingPhone, coming.holds(at: now) else { return [] }
        return [.phoneChanged(PhoneChanged(account: id, sealedPhone: coming.sealedPhone))] + sessions.endings()
    }
}

/// A number that an account will get at a later moment, unless its holder objects.
public struct ComingPhone: Hashable, Sendable {
    public let sealedPhone: Sealed
    public let holdsAt: Instant

    /// Even if no event has recorded that yet.
    public func holds(at now: Instant) -> Bool { holdsAt <= now }
}

extension Account {
    /// Even without a recorded change.
    public func sealedPhone(at now: Instant) -> Sealed { comingPhone.flatMap { $0.holds(at: now) ? $0.sealedPhone : nil } ?? sealedPhone }
}
