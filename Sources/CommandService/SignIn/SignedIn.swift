public import Loyalty
package import LoyaltyCodec

/// A session that was begun or refreshed, with its only valid refresh token.
public struct SignedIn: Sendable {
    public let account: Account
    public let session: SessionID
    public let refreshToken: String
    public let acceptance: Acceptance
    /// The requested change of the number that was due and recorded before the sign-in; it ended all earlier sessions.
    public var phoneChange: Acceptance?

    package init(account: Account, session: SessionID, refreshToken: String, acceptance: Acceptance, phoneChange: Acceptance? = nil) {
        (self.account, self.session, self.refreshToken) = (account, session, refreshToken)
        (self.acceptance, self.phoneChange) = (acceptance, phoneChange)
    }
}

/// The account of a phone number or a till's name for a customer, and the command that registers it if it is new.
public enum Registration: Sendable {
    case known(Account)
    /// The identity is new. Its new account sends the command itself, and has a data key already.
    case new(RegisterAccount)

    /// The account's id, known before a new identity is registered.
    public var account: AccountID {
        switch self {
        case .known(let account): account.id
        case .new(let command): command.account
        }
    }
}

/// A refresh token's text: the session's id, 80 random bits, and a keyed hash of 48 bits over both.
///
/// The hash shows that the service made a token even if its use is too long ago to be looked up; its reuse ends the session. Older tokens
/// have 128 random bits, recognised only among the newest 64 of their session.
package struct RefreshToken {
    package let session: SessionID
    package let text: String

    package init(session: SessionID, randomness: any Randomness, keys: Keys) {
        let random = UInt128(randomness.next()) << 64 | UInt128(randomness.next())
        self.session = session
        text = session.text + "." + TypeID.text(Self.prefix, keys.markedToken(random, of: session))
    }

    package init?(_ text: String) {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 2, let session = SessionID(text: String(parts[0])) else { return nil }
        (self.session, self.text) = (session, text)
    }

    /// Whether the token's hash is right.
    package func isGenuine(by keys: Keys) -> Bool {
        guard let part = text.split(separator: ".").last, let (prefix, value) = TypeID.parse(String(part)), prefix == Self.prefix else {
            return false
        }
        return keys.markedToken(value, of: session) == value
    }

    private static let prefix = "rt"
}
