/// Set or replace the actor's password, and end all other sessions.
public struct SetPassword: Hashable, Sendable {
    public let sealedHash: Sealed
    /// The password that the actor proved to know, if any. The caller checks it, because a slow hash must not hold up the writer.
    public let replacing: UInt64?
    /// `nil` to end all sessions.
    public let keeping: SessionID?

    public init(sealedHash: Sealed, replacing: UInt64?, keeping: SessionID?) {
        (self.sealedHash, self.replacing, self.keeping) = (sealedHash, replacing, keeping)
    }
}

/// The facts that setting a password needs.
public struct SetPasswordSituation: Hashable, Sendable {
    public let actor: Account?
    public let sessions: [Session]
}

extension SetPassword: Decision {
    public func situation<P: Past>(in past: inout P, by actor: AccountID) throws(P.Failure) -> SetPasswordSituation {
        SetPasswordSituation(actor: try past.account(actor), sessions: try past.openSessions(of: actor))
    }

    /// All other sessions end, because a thief may have started them with the old password.
    public func decide(_ situation: SetPasswordSituation, by actor: AccountID, at now: Instant) throws(Rejection) -> [LoyaltyEvent] {
        guard let account = situation.actor else { throw .notFound }
        // If the password has changed since the caller checked it, the check proves nothing.
        guard account.password?.position == replacing else { throw .passwordNotValid }
        var checks = FieldChecks()
        checks.require(Limits.sealedPasswordBytes.contains(sealedHash.bytes.count), "new", .sealedHash)
        try checks.verdict()
        let ended = situation.sessions.endings(except: keeping)
        return [.passwordSet(PasswordSet(account: actor, sealedHash: sealedHash))] + ended
    }
}

/// Remove the actor's password. Sessions continue; the account signs in by text message.
public struct RemovePassword: Hashable, Sendable {
    public init() {}
}

/// The facts that removing a password needs.
public struct RemovePasswordSituation: Hashable, Sendable {
    public let actor: Account?
}

extension RemovePassword: Decision {
    public func situation<P: Past>(in past: inout P, by actor: AccountID) throws(P.Failure) -> RemovePasswordSituation {
        RemovePasswordSituation(actor: try past.account(actor))
    }

    public func decide(_ situation: RemovePasswordSituation, by actor: AccountID, at now: Instant) throws(Rejection) -> [LoyaltyEvent] {
        guard let account = situation.actor else { throw .notFound }
        return account.password == nil ? [] : [.passwordRemoved(PasswordRemoved(account: actor))]
    }
}
