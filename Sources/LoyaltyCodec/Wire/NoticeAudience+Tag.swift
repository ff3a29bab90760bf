public import Loyalty

extension NoticeAudience {
    /// The value of the shop tag: the shop, or 0 for everybody. So one look-up finds whatever was said to everybody, and whatever
    /// was said to one shop's customers; no shop has the id 0.
    public var tagValue: UInt128 { shop?.value ?? 0 }

    init(tagged shop: ShopID) {
        self = shop.value == 0 ? .all : .shop(shop)
    }
}
