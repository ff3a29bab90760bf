public import Loyalty

/// The campaigns to find. A property that is nil does not restrict the search.
public struct CampaignSearch: Sendable {
    public var near: Near?
    public var kind: CampaignKind?
    /// At most ``SearchLimits/queryCharactersMax`` Unicode scalars. Each part must be found, in any order, as the beginning of a word.
    public var text: String?
    public var shop: ShopID?
    /// Whether to find only running, or only other campaigns; nil for both.
    public var isRunning: Bool?
    public var now: Instant
    /// By distance only with ``near``.
    public var sort: DiscoverySort

    public init(
        near: Near? = nil, kind: CampaignKind? = nil, text: String? = nil, shop: ShopID? = nil, isRunning: Bool? = nil, now: Instant,
        sort: DiscoverySort = .newest
    ) {
        (self.near, self.kind, self.text, self.shop, self.isRunning, self.now, self.sort) = (near, kind, text, shop, isRunning, now, sort)
    }
}

/// The shops to find: the nearest first if a place is given, else the newest first.
public struct ShopSearch: Sendable {
    public var near: Near?
    /// As in ``CampaignSearch/text``.
    public var text: String?

    public init(near: Near? = nil, text: String? = nil) { (self.near, self.text) = (near, text) }
}

/// The order of a list.
public enum DiscoverySort: String, Hashable, Sendable, CaseIterable {
    /// At equal distance, the older first.
    case distance
    case newest
    /// At equal popularity, the newer first.
    case popular
}
