internal import GRDB
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
    /// Whether to find only campaigns that are not over: running and future ones.
    public var isLasting = false
    public var now: Instant
    /// By distance only with ``near``.
    public var sort: DiscoverySort
    public var filter: ShopFilter
    /// If not nil, only these are found.
    public var among: [CampaignID]?

    public init(
        near: Near? = nil, kind: CampaignKind? = nil, text: String? = nil, shop: ShopID? = nil, isRunning: Bool? = nil, now: Instant,
        sort: DiscoverySort = .newest, filter: ShopFilter = .all, among: [CampaignID]? = nil
    ) {
        (self.near, self.kind, self.text, self.shop, self.isRunning, self.now, self.sort) = (near, kind, text, shop, isRunning, now, sort)
        (self.filter, self.among) = (filter, among)
    }
}

/// The shops to find: by default, the nearest first if a place is given, else the newest first.
public struct ShopSearch: Sendable {
    public var near: Near?
    /// As in ``CampaignSearch/text``.
    public var text: String?
    public var filter: ShopFilter
    /// If not nil, only these are found.
    public var among: [ShopID]?
    /// Nil for the default; never by popularity, which only campaigns have.
    public var sort: DiscoverySort?

    public init(
        near: Near? = nil, text: String? = nil, filter: ShopFilter = .all, among: [ShopID]? = nil, sort: DiscoverySort? = nil
    ) {
        (self.near, self.text, self.filter, self.among, self.sort) = (near, text, filter, among, sort)
    }
}

/// The shops that a search considers, or whose campaigns it considers.
public struct ShopFilter: Hashable, Sendable {
    /// If not nil, only shops that are open at this moment. A shop that names no hours is not.
    public var openAt: Instant?
    public var minRating: MinRating?

    public static let all = ShopFilter()

    public init(openAt: Instant? = nil, minRating: MinRating? = nil) { (self.openAt, self.minRating) = (openAt, minRating) }

    var condition: SQL {
        var condition: SQL = "s.hidden = 0"
        if let minRating { condition += " AND s.rank >= \(ShopRank.first(mean: minRating.units))" }
        if let openAt { condition += " AND is_open(s.zone, s.hours, \(OpenFunction.minute(of: openAt)))" }
        return condition
    }
}

/// The least mean of a shop's ratings, in ten-thousandths of a star. A shop without ratings has none.
public struct MinRating: Hashable, Sendable {
    public static let stars = 1...5
    let units: Int64

    /// Nil outside of ``stars``.
    public init?(stars: Double) {
        guard stars >= Double(Self.stars.lowerBound), stars <= Double(Self.stars.upperBound) else { return nil }
        units = Int64((stars * Double(ShopRank.unitsPerStar)).rounded(.up))
    }

    /// Nil outside of ``stars``.
    public init?(units: Int) { self.init(stars: Double(units) / Double(ShopRank.unitsPerStar)) }

    /// In ten-thousandths of a star.
    public var tenThousandths: Int { Int(units) }
}

/// The order of a list.
public enum DiscoverySort: String, Hashable, Sendable, CaseIterable {
    /// At equal distance, the older first.
    case distance
    case newest
    /// At equal popularity, the newer first.
    case popular
    /// By the mean of the shop's ratings, those without any last; at equal means, the newer shop first, then the newer campaign.
    case rating
}
