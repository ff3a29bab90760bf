/// Withdraw an open stamp code; for a manager, or the issuer while at the shop.
public struct DestroyCode: Hashable, Sendable {
    public let code: CodeID

    public init(code: CodeID) { self.code = code }
}

extension DestroyCode: Decision {
    public typealias Situation = (code: Code?, shop: Shop?, home: Shop?)

    public func situation<P: Past>(in past: inout P, by actor: AccountID) throws(P.Failure) -> Situation {
        guard let known = try past.code(code) else { return (code: nil, shop: nil, home: nil) }
        let home = if let id = known.home { try past.shop(id) } else { Shop?.none }
        return (code: known, shop: try past.shop(known.shop), home: home)
    }

    public func decide(_ situation: Situation, by actor: AccountID, at now: Instant) throws(Rejection) -> [LoyaltyEvent] {
        guard let known = situation.code, let shop = situation.shop else { throw .notFound }
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

extension DestroyCodes: Decision {
    public typealias Situation = (shop: Shop?, codes: [Code], homes: [ShopID: Shop])

    public func situation<P: Past>(in past: inout P, by actor: AccountID) throws(P.Failure) -> Situation {
        var (known, homes): ([Code], [ShopID: Shop]) = ([], [:])
        for id in codes.prefix(Limits.destroyedCodesMax) {
            guard let code = try past.code(id) else { continue }
            known.append(code)
            if let home = code.home, homes[home] == nil { homes[home] = try past.shop(home) }
        }
        return (shop: try past.shop(shop), codes: known, homes: homes)
    }

    public func decide(_ situation: Situation, by actor: AccountID, at now: Instant) throws(Rejection) -> [LoyaltyEvent] {
        guard let known = situation.shop else { throw .notFound }
        try known.require(issuer == actor ? .counter : .manager, of: actor)
        return situation.codes
            .filter { code in
                let home = code.home.flatMap { situation.homes[$0] }
                return code.shop == shop && code.issuer == issuer && code.status(at: now, of: known, home: home) == .open
            }
            .map { .codeDestroyed(CodeDestroyed(code: $0.id, campaign: $0.campaign, shop: shop)) }
    }
}
