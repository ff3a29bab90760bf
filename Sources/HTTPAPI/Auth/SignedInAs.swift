import Loyalty

/// Who asks: an account, through one session.
struct SignedInAs: Hashable, Sendable {
    let account: AccountID
    let session: SessionID
}
