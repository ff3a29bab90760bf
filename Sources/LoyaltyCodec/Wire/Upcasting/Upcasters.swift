/// Every retired version that a log may hold.
enum Upcasters {
    /// One for each type and version. A new one is added, none is ever taken out. Few events are old, so looking through them need not
    /// be fast.
    static let all: [any Upcaster.Type] = [
        ShopOpenedV1.self, CampaignPublishedV1.self, ShopOpenedV2.self, ShopEditedV1.self, ShopSuspendedV1.self, ShopReinstatedV1.self,
        CardAdjustedV1.self, RedemptionReversedV1.self, CampaignPublishedV2.self, CampaignEditedV1.self, CardOpenedV1.self,
    ]
}
