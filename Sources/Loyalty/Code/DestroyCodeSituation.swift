/// What destroying a stamp code depends on.
public struct DestroyCodeSituation: Hashable, Sendable {
    public let actor: Account?
    public let code: Code?
    /// The code's.
    public let shop: Shop?

    public init(actor: Account?, code: Code?, shop: Shop?) {
        self.actor = actor
        self.code = code
        self.shop = shop
    }
}
