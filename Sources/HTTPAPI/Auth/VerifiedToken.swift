import Loyalty

/// What remains of an access token once its signature was found good.
struct VerifiedToken: Hashable, Sendable {
    let bearer: SignedInAs
    let issuedAt: Instant
    let expiresAt: Instant
}
