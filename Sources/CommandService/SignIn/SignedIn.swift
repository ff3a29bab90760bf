public import Loyalty
package import LoyaltyCodec

/// A fresh sign-in: its account, its family, and the only valid refresh token.
///
/// The last 48 bits of a refresh token are a keyed hash of its session and of the other bits. So a token that was spent long ago is
/// recognised and ends its family, although a session is folded from its newest 65 refreshes only. Older tokens have no such mark, and the
/// log knows only the newest 64 of them.
public struct SignedIn: Sendable {
    public let account: Account
    public let session: SessionID
    /// Opaque, single use; shown to the client once and stored nowhere.
    public let refreshToken: String
    public let acceptance: Acceptance
    /// The change of the account's number that was recorded first, because its time had come. It ended all earlier sessions.
    public var phoneChange: Acceptance?

    package init(
        account: Account, session: SessionID, refreshToken: String, acceptance: Acceptance, phoneChange: Acceptance? = nil
    ) {
        (self.account, self.session, self.refreshToken) = (account, session, refreshToken)
        (self.acceptance, self.phoneChange) = (acceptance, phoneChange)
    }
}

/// The command that an identity without an account needs.
public enum Registration: Sendable {
    /// None: the identity has an account.
    case known(Account)
    /// This command, given by the account itself; its data key exists already.
    case new(RegisterAccount)

    /// The account's id, known before it is registered.
    public var account: AccountID {
        switch self {
        case .known(let account): account.id
        case .new(let command): command.account
        }
    }
}

/// A refresh token's text: the family's id, 80 random bits and a mark of 48 bits derived from both; opaque to clients.
///
/// Nobody who lacks the key can make a token with its mark, except by one guess in 2⁴⁸. Older tokens have 128 random bits and no mark;
/// they are known by the log alone.
package struct RefreshToken {
    package let session: SessionID
    package let text: String

    /// A new token of a family.
    package init(session: SessionID, randomness: any Randomness, keys: Keys) {
        let random = UInt128(randomness.next()) << 64 | UInt128(randomness.next())
        self.session = session
        text = session.text + "." + TypeID.text(Self.prefix, keys.markedToken(random, of: session))
    }

    /// - Returns: `nil` for what cannot be a token of ours.
    package init?(_ text: String) {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 2, let session = SessionID(text: String(parts[0])) else { return nil }
        self.session = session
        self.text = text
    }

    /// Whether the mark is right.
    package func isGenuine(by keys: Keys) -> Bool {
        guard let part = text.split(separator: ".").last, let (prefix, value) = TypeID.parse(String(part)), prefix == Self.prefix else {
            return false
        }
        return keys.markedToken(value, of: session) == value
    }

    private static let prefix = "rt"
}
