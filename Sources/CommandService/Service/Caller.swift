public import Loyalty
public import LoyaltyCodec

/// Who asks, and under which idempotency key.
public struct Caller: Hashable, Sendable {
    public let account: AccountID
    /// The keyed hashes of the idempotency key and of the request; `nil` where the caller sent no key.
    public let mark: RequestMark?

    public init(account: AccountID, mark: RequestMark? = nil) {
        self.account = account
        self.mark = mark
    }
}
