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

extension SetPassword: Decision {
    public typealias Situation = (actor: Account?, sessions: [Session])

    public func situation<P: Past>(in past: inout P, by actor: AccountID) throws(P.Failure) -> Situation {
        (actor: try past.account(actor), sessions: try past.openSessions(of: actor))
    }

    /// All other sessions end, because a thief may have started them with the old password.
    public func decide(_ situation: Situation, by actor: AccountID, at now: Instant) throws(Rejection) -> [LoyaltyEvent] {
        guard let account = situation.actor else { throw .notFound }
        // If the password has changed since the caller checked it, the check proves nothing.
        guard account.password?.position == replacing else { throw .passwordNotValid }
        try FieldChecks.check { $0.require(Limits.sealedPasswordBytes.contains(sealedHash.bytes.count), "new", .sealedHash) }
        let ended = situation.sessions.endings(except: keeping)
        return [.passwordSet(PasswordSet(account: actor, sealedHash: sealedHash))] + ended
    }
}

/// Remove the actor's password. Sessions continue; the account signs in by text message.
public struct RemovePassword: Hashable, Sendable {
    public init() {}
}

extension RemovePassword: Decision {
    public func situation<P: Past>(in past: inout P, by actor: AccountID) throws(P.Failure) -> Account? { try past.account(actor) }

    public func decide(_ situation: Account?, by actor: AccountID, at now: Instant) throws(Rejection) -> [LoyaltyEvent] {
        guard let account = situation else { throw .notFound }
        return account.password == nil ? [] : [.passwordRemoved(PasswordRemoved(account: actor))]
    }
}
