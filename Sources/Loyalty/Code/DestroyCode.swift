/// Withdraw an open code; owner or staff.
public struct DestroyCode: Hashable, Sendable {
    public let code: CodeID

    public init(code: CodeID) {
        self.code = code
    }
}

/// The facts that destroying a stamp code needs.
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

extension DestroyCode: Decision {
    public func situation<P: Past>(in past: inout P, by actor: AccountID) throws(P.Failure) -> DestroyCodeSituation {
        let account = try past.account(actor)
        guard let known = try past.code(code) else {
            return DestroyCodeSituation(actor: account, code: nil, shop: nil)
        }
        return DestroyCodeSituation(actor: account, code: known, shop: try past.shop(known.shop))
    }

    public func decide(_ situation: DestroyCodeSituation, by actor: AccountID, at now: Instant) throws(Rejection) -> [LoyaltyEvent] {
        guard situation.actor != nil, let known = situation.code, let shop = situation.shop else { throw .notFound }
        // Only staff may learn that the code exists.
        guard shop.employs(actor) else { throw .notFound }
        switch known.status(at: now, of: shop) {
        case .destroyed: return []
        case .used, .expired: throw .codeNotOpen
        case .open: return [.codeDestroyed(CodeDestroyed(code: code, campaign: known.campaign, shop: known.shop))]
        }
    }
}
