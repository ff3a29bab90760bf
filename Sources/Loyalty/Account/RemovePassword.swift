/// Take the actor's password away. Sessions go on: a text message signs in as before.
public struct RemovePassword: Hashable, Sendable {
    public init() {}
}

/// The account that is to lose its password.
public struct RemovePasswordSituation: Hashable, Sendable {
    public let actor: Account?

    public init(actor: Account?) {
        self.actor = actor
    }
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
