extension Code {
    /// What the code is at `now`. What somebody did to it comes before what the clock did: a used code stays used for ever.
    public func status(at now: Instant) -> CodeStatus {
        if isUsed { return .used }
        if isDestroyed { return .destroyed }
        return Self.isGood(at: now, until: expiresAt, ofAtMost: Int64(Limits.codeValiditySeconds.upperBound)) ? .open : .expired
    }

    /// Whether a code works that is good until a moment. One that is good for longer than any may be was made while the clock was ahead,
    /// nobody knows when.
    static func isGood(at now: Instant, until end: Instant, ofAtMost seconds: Int64) -> Bool {
        now < end && end <= now.advanced(bySeconds: seconds + Limits.clockLeadSeconds)
    }
}
