internal import EventLog
internal import Loyalty

/// The tag that names a campaign's own shop, in events at another shop.
enum WireHome {
    /// - Throws: `wrongTags` if both are the same shop, because such an event could not be read back.
    static func tags(_ home: ShopID?, besides shop: ShopID) throws(CodecError) -> [Tag] {
        guard let home else { return [] }
        guard home != shop else { throw CodecError(.wrongTags, "the home is the shop of the event") }
        return [Tag(.home, home.value)]
    }
}

extension StoredEvent where Self: ~Escapable {
    /// - Parameter count: the number of the event's other tags.
    func home(besides count: Int) throws(CodecError) -> ShopID? {
        guard let home = value(of: .home) else {
            try expectTags(count)
            return nil
        }
        try expectTags(count + 1)
        guard home != value(of: .shop) else { throw CodecError(.wrongTags, "the home is the shop of the event") }
        return ShopID(home)
    }
}
