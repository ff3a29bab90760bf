/// Register the holder of a phone number; nothing changes if the hash ``phone`` is registered already.
public struct RegisterAccount: Hashable, Sendable {
    public let account: AccountID
    public let phone: Secret
    public let sealedPhone: Sealed

    public init(account: AccountID, phone: Secret, sealedPhone: Sealed) {
        (self.account, self.phone, self.sealedPhone) = (account, phone, sealedPhone)
    }
}

extension RegisterAccount: Decision {
    public typealias Situation = (accountWithPhone: Account?, accountWithID: Account?)

    public static var needsAccount: Bool { false }

    public func situation<P: Past>(in past: inout P, by actor: AccountID) throws(P.Failure) -> Situation {
        (accountWithPhone: try past.account(phone: phone), accountWithID: try past.account(account))
    }

    /// The only command that an unregistered person can give.
    public func decide(_ situation: Situation, by actor: AccountID, at now: Instant) throws(Rejection) -> [LoyaltyEvent] {
        // Concurrent first sign-ins make one account. An erased account's hash is never reused: the log would link the two accounts.
        if let known = situation.accountWithPhone {
            guard !known.isErased else { throw .secretTaken }
            return []
        }
        guard situation.accountWithID == nil else { throw .notFound }
        try FieldChecks.check {
            $0.require(sealedPhone.bytes.count <= Limits.sealedPhoneBytesMax, "phone", .sealedBytes(max: Limits.sealedPhoneBytesMax))
        }
        return [.accountRegistered(AccountRegistered(account: account, phone: phone, sealedPhone: sealedPhone))]
    }
}
