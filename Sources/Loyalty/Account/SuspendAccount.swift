/// An operator suspended an account: nobody signs in to it or acts as it until it is reinstated.
public struct AccountSuspended: Hashable, Sendable {
    public let account: AccountID
    public let reason: TypedText

    public init(account: AccountID, reason: TypedText) {
        self.account = account
        self.reason = reason
    }
}

/// An operator ended the suspension of an account.
public struct AccountReinstated: Hashable, Sendable {
    public let account: AccountID
    /// May be empty.
    public let reason: TypedText

    public init(account: AccountID, reason: TypedText) {
        self.account = account
        self.reason = reason
    }
}

/// An operator looked for the account of a phone number. The number is in no event.
public struct AccountSearched: Hashable, Sendable {
    /// The account that was found; `nil` for a number that nobody has.
    public let account: AccountID?

    public init(account: AccountID?) {
        self.account = account
    }
}

/// Suspend an account. That the actor is an operator, and that the account is none, is the caller's to know.
public struct SuspendAccount: Hashable, Sendable {
    public let account: AccountID
    public let reason: TypedText

    public init(account: AccountID, reason: TypedText) {
        self.account = account
        self.reason = reason
    }
}

extension SuspendAccount: Decision {
    public func situation<P: Past>(in past: inout P, by actor: AccountID) throws(P.Failure) -> AccountSituation {
        try .load(account, by: actor, in: &past)
    }

    /// Every session ends. Cards, reviews and a shop of the account stay as they are: they concern others, too.
    public func decide(_ situation: AccountSituation, by actor: AccountID, at now: Instant) throws(Rejection) -> [LoyaltyEvent] {
        let known = try situation.existing()
        guard account != actor else { throw .forbidden }
        var checks = FieldChecks()
        checks.require(reason, within: Limits.reason, "reason")
        try checks.verdict()
        guard !known.isSuspended else { return [] }
        return [.accountSuspended(AccountSuspended(account: account, reason: reason))] + situation.sessions.endings(at: now)
    }
}

/// End the suspension of an account. That the actor is an operator is the caller's to know.
public struct ReinstateAccount: Hashable, Sendable {
    public let account: AccountID
    /// May be empty.
    public let reason: TypedText

    public init(account: AccountID, reason: TypedText) {
        self.account = account
        self.reason = reason
    }
}

extension ReinstateAccount: Decision {
    public func situation<P: Past>(in past: inout P, by actor: AccountID) throws(P.Failure) -> AccountSituation {
        try .load(account, by: actor, in: &past)
    }

    public func decide(_ situation: AccountSituation, by actor: AccountID, at now: Instant) throws(Rejection) -> [LoyaltyEvent] {
        let known = try situation.existing()
        var checks = FieldChecks()
        checks.require(reason, within: Limits.reinstatementReason, "reason")
        try checks.verdict()
        return known.isSuspended ? [.accountReinstated(AccountReinstated(account: account, reason: reason))] : []
    }
}

/// Record that the actor, an operator, looked for the account of a number.
public struct NoteSearch: Hashable, Sendable {
    public let found: AccountID?

    public init(found: AccountID?) {
        self.found = found
    }
}

extension NoteSearch: Decision {
    public func situation<P: Past>(in past: inout P, by actor: AccountID) throws(P.Failure) -> Account? { try past.account(actor) }

    public func decide(_ situation: Account?, by actor: AccountID, at now: Instant) throws(Rejection) -> [LoyaltyEvent] {
        guard situation != nil else { throw .notFound }
        return [.accountSearched(AccountSearched(account: found))]
    }
}

extension Command {
    /// Whether a suspension of the actor leaves the command alone: it takes from the account, or time alone decides it.
    private var isAllowedToSuspended: Bool {
        switch self {
        case .eraseAccount, .endSession, .endSessions, .completePhoneChange: true
        default: false
        }
    }

    /// Whether the actor's suspension forbids the decided events. It is checked after the decision, so that refused commands cost nothing.
    func isSuspended<P: Past>(_ events: [LoyaltyEvent], in past: inout P, by actor: AccountID) throws(P.Failure) -> Bool {
        guard !events.isEmpty, !isAllowedToSuspended else { return false }
        return try past.account(actor)?.isSuspended == true
    }
}
