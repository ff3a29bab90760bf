/// Every retired version that a log may hold.
enum Upcasters {
    /// By type and version. A new one is added, none is ever taken out.
    static let all: [any Upcaster.Type] = [ShopOpenedV1.self, CampaignPublishedV1.self]

    /// Nil for a version that there never was. Few events are old, so this need not be fast.
    static func upcaster(of type: WireType, version: UInt16) -> (any Upcaster.Type)? {
        all.first { $0.type == type && $0.version == version }
    }
}
