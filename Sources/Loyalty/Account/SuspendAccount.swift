/// Suspend an account. The caller MUST know that the actor is an operator, and that the account is not an operator's.
public struct SuspendAccount: Hashable, Sendable {
    public let account: AccountID
    public let reason: TypedText

    public init(account: AccountID, reason: TypedText) { (self.account, self.reason) = (account, reason) }
}

extension SuspendAccount: Decision {
    public func situation<P: Past>(in past: inout P, by actor: AccountID) throws(P.Failure) -> AccountSituation {
        try .load(account, in: &past)
    }

    /// Every session ends. Cards, reviews and shops stay, because other people depend on them.
    public func decide(_ situation: AccountSituation, by actor: AccountID, at now: Instant) throws(Rejection) -> [LoyaltyEvent] {
        let known = try situation.existing()
        guard account != actor else { throw .forbidden }
        try FieldChecks.check { $0.require(reason, within: Limits.reason, "reason") }
        guard !known.isSuspended else { return [] }
        return [.accountSuspended(AccountSuspended(account: account, reason: reason))] + situation.sessions.endings()
    }
}

/// End the suspension of an account. The caller MUST know that the actor is an operator.
public struct ReinstateAccount: Hashable, Sendable {
    public let account: AccountID
    /// May be empty.
    public let reason: TypedText

    public init(account: AccountID, reason: TypedText) { (self.account, self.reason) = (account, reason) }
}

extension ReinstateAccount: Decision {
    public func situation<P: Past>(in past: inout P, by actor: AccountID) throws(P.Failure) -> AccountSituation {
        try .load(account, in: &past)
    }

    public func decide(_ situation: AccountSituation, by actor: AccountID, at now: Instant) throws(Rejection) -> [LoyaltyEvent] {
        let known = try situation.existing()
        try FieldChecks.check { $0.require(reason, within: Limits.reinstatementReason, "reason") }
        return known.isSuspended ? [.accountReinstated(AccountReinstated(account: account, reason: reason))] : []
    }
}

/// Record that the actor, an operator or a member of a shop, looked up the account of a phone number.
public struct NoteSearch: Hashable, Sendable {
    public let found: AccountID?
    /// nil for an operator.
    public let shop: ShopID?

    public init(found: AccountID?, at shop: ShopID? = nil) { (self.found, self.shop) = (found, shop) }
}

extension NoteSearch: Decision {
    public func situation<P: Past>(in past: inout P, by actor: AccountID) throws(P.Failure) -> Shop? {
        if let shop { try past.shop(shop) } else { nil }
    }

    public func decide(_ situation: Shop?, by actor: AccountID, at now: Instant) throws(Rejection) -> [LoyaltyEvent] {
        if shop != nil, situation == nil { throw .notFound }
        if let situation, !situation.employs(actor) { throw .forbidden }
        return [.accountSearched(AccountSearched(account: found, shop: shop))]
    }
}
