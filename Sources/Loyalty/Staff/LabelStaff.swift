/// Give a member of the staff the name under which the shop's people see the member; for managers.
public struct LabelStaff: Hashable, Sendable {
    public let shop: ShopID
    public let account: AccountID
    /// Empty to take the name away.
    public let label: TypedText

    public init(shop: ShopID, account: AccountID, label: TypedText) { (self.shop, self.account, self.label) = (shop, account, label) }
}

extension LabelStaff: Decision {
    public typealias Situation = (shop: Shop?, label: TypedText?)

    public func situation<P: Past>(in past: inout P, by actor: AccountID) throws(P.Failure) -> Situation {
        (shop: try past.shop(shop), label: try past.label(of: account, at: shop))
    }

    /// The name of a former member can only be taken away. The owner's name is the owner's own choice.
    public func decide(_ situation: Situation, by actor: AccountID, at now: Instant) throws(Rejection) -> [LoyaltyEvent] {
        let known = try situation.shop.existing()
        try known.require(account == known.owner ? .owner : .manager, of: actor)
        if label == situation.label ?? .empty { return [] }
        if label != .empty {
            guard known.employs(account) else { throw .notFound }
            try FieldChecks.check { $0.require(label, within: Limits.staffLabel, "label") }
        }
        return [.staffLabeled(StaffLabeled(shop: shop, account: account, label: label))]
    }
}

extension TypedText {
    static var empty: TypedText { .clear("") }
}
