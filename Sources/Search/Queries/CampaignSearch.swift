public import Loyalty

/// Which campaigns to find. What is nil does not narrow the search down.
public struct CampaignSearch: Sendable {
    public var near: Near?
    public var kind: CampaignKind?
    /// The typed text, at most ``SearchLimits/queryCharactersMax`` characters. All of it must match.
    public var text: String?
    public var shop: ShopID?
    /// Whether it must be running at `now`, or must not.
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

/// Which shops to find: the nearest first where a place is named, else the newest first.
public struct ShopSearch: Sendable {
    public var near: Near?
    /// The typed text, at most ``SearchLimits/queryCharactersMax`` characters. All of it must match.
    public var text: String?

    public init(near: Near? = nil, text: String? = nil) {
        self.near = near
        self.text = text
    }
}

/// In which order a list of discoveries comes.
public enum DiscoverySort: String, Hashable, Sendable, CaseIterable {
    /// The nearest first, of equals the older first.
    case distance
    /// The one that was made last first.
    case newest
    /// The most popular first; of equals the newer one first.
    case popular
}
