import Loyalty
import LoyaltyCodec

/// A refresh token's text: the family's id and a random part, opaque to clients.
struct RefreshToken {
    let session: SessionID
    let text: String

    /// A new token of a family.
    init(session: SessionID, randomness: any Randomness) {
        let random = UInt128(randomness.next()) << 64 | UInt128(randomness.next())
        self.session = session
        text = session.text + "." + TypeID.text("rt", random)
    }

    /// - Returns: `nil` for what cannot be a token of ours.
    init?(_ text: String) {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 2, let session = SessionID(text: String(parts[0])) else { return nil }
        self.session = session
        self.text = text
    }
}
