/// Change the actor's profile.
public struct EditProfile: Hashable, Sendable {
    public let change: ProfileChange
    public let expected: ExpectedVersion

    public init(change: ProfileChange, expected: ExpectedVersion = .any) { (self.change, self.expected) = (change, expected) }
}

extension EditProfile: Decision {
    public func situation<P: Past>(in past: inout P, by actor: AccountID) throws(P.Failure) -> Account? { try past.account(actor) }

    public func decide(_ situation: Account?, by actor: AccountID, at now: Instant) throws(Rejection) -> [LoyaltyEvent] {
        guard let account = situation else { throw .notFound }
        try expected.check(account.version)
        try checkFields()
        guard change.beyond(account.profile) != ProfileChange() else { return [] }
        return [.profileEdited(ProfileEdited(account: actor, change: change.whole(after: account.profile)))]
    }

    /// Checks only the size, which bounds the event. The service checked the content before sealing.
    private func checkFields() throws(Rejection) {
        var checks = FieldChecks()
        for (name, change) in change.fields {
            guard case .set(let sealed) = change else { continue }
            checks.require(Limits.sealedProfileFieldBytes.contains(sealed.bytes.count), name, .tooLong)
        }
        try checks.verdict()
    }
}
