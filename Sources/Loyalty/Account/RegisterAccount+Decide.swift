extension RegisterAccount: Decision {
    public func situation<P: Past>(in past: inout P, by actor: AccountID) throws(P.Failure) -> RegisterAccountSituation {
        RegisterAccountSituation(accountWithPhone: try past.account(phone: phone), accountWithID: try past.account(account))
    }

    /// The only command that an unregistered actor may give: it is how they become registered.
    public func decide(
        _ situation: RegisterAccountSituation, by actor: AccountID, at now: Instant
    ) throws(Rejection) -> [LoyaltyEvent] {
        // Whichever account has the phone stays as it is: two first sign-ins at once make one account. A hash under which an erased
        // account was found is never used again, or the log would tie its new account to the old one.
        if let known = situation.accountWithPhone {
            guard !known.isErased else { throw .secretTaken }
            return []
        }
        guard situation.accountWithID == nil else { throw .notFound }
        var checks = FieldChecks()
        checks.require(
            sealedPhone.bytes.count <= Limits.sealedPhoneBytesMax, "phone", "must seal to at most \(Limits.sealedPhoneBytesMax) bytes")
        try checks.verdict()
        return [.accountRegistered(AccountRegistered(account: account, phone: phone, sealedPhone: sealedPhone))]
    }
}
