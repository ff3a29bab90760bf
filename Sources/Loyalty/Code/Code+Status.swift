extension Code {
    /// What the code is at `now`. What somebody did to it comes before what the clock did: a used code stays used for ever.
    public func status(at now: Instant) -> CodeStatus {
        if isUsed { return .used }
        if isDestroyed { return .destroyed }
        return Validity.holds(at: now, from: issuedAt, until: expiresAt) ? .open : .expired
    }
}
