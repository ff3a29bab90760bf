extension SetPassword: Decision {
    public func situation<P: Past>(in past: inout P, by actor: AccountID) throws(P.Failure) -> SetPasswordSituation {
        SetPasswordSituation(actor: try past.account(actor), sessions: try past.openSessions(of: actor))
    }

    /// Whoever knew the old password may be a thief: all other sessions end with it.
    public func decide(_ situation: SetPasswordSituation, by actor: AccountID, at now: Instant) throws(Rejection) -> [LoyaltyEvent] {
        guard let account = situation.actor else { throw .notFound }
        // It was changed since it was shown: then what was shown is no longer it.
        guard account.password?.position == replacing else { throw .passwordNotValid }
        var checks = FieldChecks()
        checks.require(Limits.sealedPasswordBytes.contains(sealedHash.bytes.count), "new", "does not seal to what a hash seals to")
        try checks.verdict()
        let ended = situation.sessions.endings(at: now, except: keeping)
        return [.passwordSet(PasswordSet(account: actor, sealedHash: sealedHash))] + ended
    }
}
