extension Code {
    /// What the code is at `now` at its shop: an open one is destroyed when its issuer works there no more.
    public func status(at now: Instant, of shop: Shop) -> CodeStatus {
        let own = status(at: now)
        return own == .open && shop.hasLost(issuerOf: self) ? .destroyed : own
    }

    /// What the code itself says; who works at its shop comes in with `status(at:of:)`. What somebody did to it comes before what the
    /// clock did: a used code stays used for ever.
    public func status(at now: Instant) -> CodeStatus {
        if isUsed { return .used }
        if isDestroyed { return .destroyed }
        return Validity.holds(at: now, from: issuedAt, until: expiresAt) ? .open : .expired
    }
}
