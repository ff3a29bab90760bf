public import Loyalty

/// A fresh sign-in: whose, which family, and the only refresh token that is good now.
public struct SignedIn: Sendable {
    public let account: Account
    public let session: SessionID
    /// Opaque, single use; shown to the client once and stored nowhere.
    public let refreshToken: String
    public let acceptance: Acceptance
}
