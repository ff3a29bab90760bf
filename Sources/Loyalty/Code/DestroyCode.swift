/// Withdraw an open code; for its issuer while employed there, or a manager.
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
    /// The shop of the code.
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
        guard let role = shop.role(of: actor) else { throw .notFound }
        guard known.issuer == actor || role >= .manager else { throw .roleRequired }
        switch known.status(at: now, of: shop) {
        case .destroyed: return []
        case .used, .expired: throw .codeNotOpen
        case .open: return [.codeDestroyed(CodeDestroyed(code: code, campaign: known.campaign, shop: known.shop))]
        }
    }
}

/// Withdraw open codes that one member of a shop issued; for a manager, or that member.
public struct DestroyCodes: Hashable, Sendable {
    public let shop: ShopID
    public let issuer: AccountID
    /// The codes to withdraw, at most ``Limits/destroyedCodesMax``. Codes that are not open, or that another member issued, are ignored.
    public let codes: [CodeID]

    public init(shop: ShopID, issuer: AccountID, codes: [CodeID]) {
        self.shop = shop
        self.issuer = issuer
        self.codes = codes
    }
}

/// The facts that destroying a member's stamp codes needs.
public struct DestroyCodesSituation: Hashable, Sendable {
    public let actor: Account?
    public let shop: Shop?
    public let codes: [Code]

    public init(actor: Account?, shop: Shop?, codes: [Code]) {
        self.actor = actor
        self.shop = shop
        self.codes = codes
    }
}

extension DestroyCodes: Decision {
    public func situation<P: Past>(in past: inout P, by actor: AccountID) throws(P.Failure) -> DestroyCodesSituation {
        var known: [Code] = []
        for id in codes.prefix(Limits.destroyedCodesMax) {
            if let code = try past.code(id) { known.append(code) }
        }
        return DestroyCodesSituation(actor: try past.account(actor), shop: try past.shop(shop), codes: known)
    }

    public func decide(_ situation: DestroyCodesSituation, by actor: AccountID, at now: Instant) throws(Rejection) -> [LoyaltyEvent] {
        guard situation.actor != nil, let known = situation.shop else { throw .notFound }
        try known.require(issuer == actor ? .counter : .manager, of: actor)
        return situation.codes
            .filter { $0.shop == shop && $0.issuer == issuer && $0.status(at: now, of: known) == .open }
            .map { .codeDestroyed(CodeDestroyed(code: $0.id, campaign: $0.campaign, shop: shop)) }
    }
}
