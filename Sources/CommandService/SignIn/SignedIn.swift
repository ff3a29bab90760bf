public import Loyalty
package import LoyaltyCodec

/// A session that was begun or refreshed: its account, its id, and its only valid refresh token.
///
/// The last 48 bits of a refresh token are a keyed hash of its session and of the other bits. The hash shows that the service made a token,
/// even if the token was used so long ago that the event of its use is no longer read. The reuse of such a token ends the session. Tokens
/// of older releases have no such hash. They are recognised only while they are among the newest 64 used tokens of their session.
public struct SignedIn: Sendable {
    public let account: Account
    public let session: SessionID
    /// The refresh token: an opaque text that can be used once. It is shown to the client once and stored nowhere.
    public let refreshToken: String
    public let acceptance: Acceptance
    /// The change of the account's phone number that was requested earlier, was due, and was therefore recorded before the sign-in. It
    /// ended all earlier sessions. Nil if no change was due.
    public var phoneChange: Acceptance?

    package init(
        account: Account, session: SessionID, refreshToken: String, acceptance: Acceptance, phoneChange: Acceptance? = nil
    ) {
        (self.account, self.session, self.refreshToken) = (account, session, refreshToken)
        (self.acceptance, self.phoneChange) = (acceptance, phoneChange)
    }
}

/// The account of an identity (a phone number, or a till's own name for a customer), and the command that registers it if it is new.
public enum Registration: Sendable {
    /// The identity has an account, so no command is needed.
    case known(Account)
    /// The identity is new. The command registers its account, and the sender of the command is that new account itself. The account's data
    /// key exists already.
    case new(RegisterAccount)

    /// The account's id. For a new identity, it is known before the account is registered.
    public var account: AccountID {
        switch self {
        case .known(let account): account.id
        case .new(let command): command.account
        }
    }
}

/// A refresh token's text: the session's id, 80 random bits, and a mark of 48 bits derived from both. Clients do not interpret it.
///
/// A token with the right mark can be made only with the service's key, or by a guess with a chance of one in 2⁴⁸. Tokens of older releases
/// have 128 random bits and no mark, so only the log can tell whether they are genuine.
package struct RefreshToken {
    package let session: SessionID
    package let text: String

    /// Creates a new token of a session.
    package init(session: SessionID, randomness: any Randomness, keys: Keys) {
        let random = UInt128(randomness.next()) << 64 | UInt128(randomness.next())
        self.session = session
        text = session.text + "." + TypeID.text(Self.prefix, keys.markedToken(random, of: session))
    }

    /// - Returns: `nil` for a text that cannot be a token of this service.
    package init?(_ text: String) {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 2, let session = SessionID(text: String(parts[0])) else { return nil }
        self.session = session
        self.text = text
    }

    /// Whether the token's mark of 48 bits is right, so that the service made the token.
    package func isGenuine(by keys: Keys) -> Bool {
        guard let part = text.split(separator: ".").last, let (prefix, value) = TypeID.parse(String(part)), prefix == Self.prefix else {
            return false
        }
        return keys.markedToken(value, of: session) == value
    }

    private static let prefix = "rt"
}
