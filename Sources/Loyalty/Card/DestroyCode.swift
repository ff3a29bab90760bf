/// Withdraw an open stamp code; for a manager, or the issuer while at the shop.
public struct DestroyCode: Hashable, Sendable {
    public let code: CodeID

    public init(code: CodeID) { self.code = code }
}

/// The facts that destroying a stamp code needs.
public struct DestroyCodeSituation: Hashable, Sendable {
    public let actor: Account?
    public let code: Code?
    public let shop: Shop?
    public let home: Shop?

    public init(actor: Account?, code: Code?, shop: Shop?, home: Shop? = nil) {
        (self.actor, self.code, self.shop, self.home) = (actor, code, shop, home)
    }
}

extension DestroyCode: Decision {
    public func situation<P: Past>(in past: inout P, by actor: AccountID) throws(P.Failure) -> DestroyCodeSituation {
        let account = try past.account(actor)
        guard let known = try past.code(code) else { return DestroyCodeSituation(actor: account, code: nil, shop: nil) }
        let home = if let id = known.home { try past.shop(id) } else { Shop?.none }
        return DestroyCodeSituation(actor: account, code: known, shop: try past.shop(known.shop), home: home)
    }

    public func decide(_ situation: DestroyCodeSituation, by actor: AccountID, at now: Instant) throws(Rejection) -> [LoyaltyEvent] {
        guard situation.actor != nil, let known = situation.code, let shop = situation.shop else { throw .notFound }
        // Only staff may learn that the code exists.
        guard let role = shop.role(of: actor) else { throw .notFound }
        guard known.issuer == actor || role >= .manager else { throw .roleRequired }
        switch known.status(at: now, of: shop, home: situation.home) {
        case .destroyed: return []
        case .used, .expired: throw .codeNotOpen
        case .open: return [.codeDestroyed(CodeDestroyed(code: code, campaign: known.campaign, shop: known.shop))]
        }
    }
}

/// Withdraw several open stamp codes of one issuer; for a manager, or the issuer while at the shop.
public struct DestroyCodes: Hashable, Sendable {
    public let shop: ShopID
    public let issuer: AccountID
    /// At most ``Limits/destroyedCodesMax``. Others' codes, and those that are not open, are ignored.
    public let codes: [CodeID]

    public init(shop: ShopID, issuer: AccountID, codes: [CodeID]) { (self.shop, self.issuer, self.codes) = (shop, issuer, codes) }
}

/// The facts that destroying a member's stamp codes needs.
public struct DestroyCodesSituation: Hashable, Sendable {
    public let actor: Account?
    public let shop: Shop?
    public let codes: [Code]
    public let homes: [ShopID: Shop]

    public init(actor: Account?, shop: Shop?, codes: [Code], homes: [ShopID: Shop] = [:]) {
        (self.actor, self.shop, self.codes, self.homes) = (actor, shop, codes, homes)
    }
}

extension DestroyCodes: Decision {
    public func situation<P: Past>(in past: inout P, by actor: AccountID) throws(P.Failure) -> DestroyCodesSituation {
        var (known, homes): ([Code], [ShopID: Shop]) = ([], [:])
        for id in codes.prefix(Limits.destroyedCodesMax) {
            guard let code = try past.code(id) else { continue }
            known.append(code)
            if let home = code.home, homes[home] == nil { homes[home] = try past.shop(home) }
        }
        return DestroyCodesSituation(actor: try past.account(actor), shop: try past.shop(shop), codes: known, homes: homes)
    }

    public func decide(_ situation: DestroyCodesSituation, by actor: AccountID, at now: Instant) throws(Rejection) -> [LoyaltyEvent] {
        guard situation.actor != nil, let known = situation.shop else { throw .notFound }
        try known.require(issuer == actor ? .counter : .manager, of: actor)
        return situation.codes
            .filter { code in
                let home = code.home.flatMap { situation.homes[$0] }
                return code.shop == shop && code.issuer == issuer && code.status(at: now, of: known, home: home) == .open
            }
            .map { .codeDestroyed(CodeDestroyed(code: $0.id, campaign: $0.campaign, shop: shop)) }
    }
}
