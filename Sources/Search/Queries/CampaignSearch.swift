public import Loyalty

/// The campaigns to find. A property that is nil does not restrict the search.
public struct CampaignSearch: Sendable {
    public var near: Near?
    public var kind: CampaignKind?
    /// The typed text, at most ``SearchLimits/queryCharactersMax`` Unicode scalars. Each part of it must be found, in any order. A word
    /// also finds longer words that begin with it.
    public var text: String?
    public var shop: ShopID?
    /// Whether to find only running campaigns or only campaigns that are not running at `now`; nil for both.
    public var isRunning: Bool?
    public var now: Instant
    /// The order of the results; by distance only with ``near``.
    public var sort: DiscoverySort

    public init(
        near: Near? = nil, kind: CampaignKind? = nil, text: String? = nil, shop: ShopID? = nil, isRunning: Bool? = nil, now: Instant,
        sort: DiscoverySort = .newest
    ) {
        self.near = near
        self.kind = kind
        self.text = text
        self.shop = shop
        self.isRunning = isRunning
        self.now = now
        self.sort = sort
    }
}

/// The shops to find: the nearest first if a place is given, else the newest first.
public struct ShopSearch: Sendable {
    public var near: Near?
    /// The typed text, at most ``SearchLimits/queryCharactersMax`` Unicode scalars. Each part of it must be found, in any order. A word
    /// also finds longer words that begin with it.
    public var text: String?

    public init(near: Near? = nil, text: String? = nil) {
        self.near = near
        self.text = text
    }
}

/// The order of a list.
public enum DiscoverySort: String, Hashable, Sendable, CaseIterable {
    /// The nearest first; at equal distance, the older one first.
    case distance
    /// The newest first.
    case newest
    /// The most popular first; at equal popularity, the newer one first.
    case popular
}
