/// Why a session ended.
public enum SessionEnding: UInt8, Hashable, Sendable {
    case signedOut = 1
    /// A refresh token that had already been used was presented again: the family is taken to be stolen.
    case tokenReused = 2
}
