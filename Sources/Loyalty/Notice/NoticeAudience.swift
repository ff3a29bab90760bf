/// Whom a notice is for.
public enum NoticeAudience: Hashable, Sendable {
    /// Everybody who had registered by then.
    case all
    /// Everybody who had opened a card at this shop by then.
    case shop(ShopID)

    /// `nil` for everybody.
    public var shop: ShopID? {
        guard case .shop(let shop) = self else { return nil }
        return shop
    }
}
