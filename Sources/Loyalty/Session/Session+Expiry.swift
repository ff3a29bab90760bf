extension Session {
    /// Whether a refresh token of this family can be good at `now`.
    public func isAlive(at now: Instant) -> Bool {
        !isEnded && now < expiresAt
    }

    /// The expiry that a session gets: the one asked for, but never beyond the limit.
    ///
    /// Cut rather than refused: the asker's clock reads a little ahead of the decision's, and nobody should be signed out for it.
    /// - Throws: `.invalid` for a moment that is over, a session that could never be used.
    static func expiry(askedFor: Instant, at now: Instant) throws(Rejection) -> Instant {
        var checks = FieldChecks()
        checks.require(askedFor > now, "expiresAt", "must be in the future")
        try checks.verdict()
        return min(askedFor, now.advanced(bySeconds: Limits.sessionValiditySeconds))
    }
}
