/// What opening a shop depends on.
public struct OpenShopSituation: Hashable, Sendable {
    public let actor: Account?
    public let ownShop: Shop?
    public let shopWithID: Shop?

    public init(actor: Account?, ownShop: Shop?, shopWithID: Shop?) {
        self.actor = actor
        self.ownShop = ownShop
        self.shopWithID = shopWithID
    }
}
