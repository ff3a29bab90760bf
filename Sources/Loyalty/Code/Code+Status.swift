extension Code {
    /// What the code is at `now`. What somebody did to it comes before what the clock did: a used code stays used for ever.
    public func status(at now: Instant) -> CodeStatus {
        if isUsed { return .used }
        if isDestroyed { return .destroyed }
        let longest = Int64(Limits.codeValiditySeconds.upperBound)
        return Validity.holds(at: now, until: expiresAt, ofAtMost: longest) ? .open : .expired
    }
}
