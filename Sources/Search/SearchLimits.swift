package import Caches
internal import Foundation

/// The limits of this target, with their units.
public enum SearchLimits {
    /// Campaigns whose favourite counts are cached, in each of two generations: about 50 bytes each.
    static let rememberedCampaignsMax = 16_384
    /// Accounts whose favourites are cached, in each of two generations: about 50 bytes each.
    static let rememberedAccountsMax = 16_384
    /// Cached favourites of an account. For an account with more, none are cached.
    static let rememberedFavoritesMax = 64
    /// In metres: at most a day's trip. At greater distances, those on a sphere are too inaccurate.
    public static let radiusMeters = 1.0...100_000.0
    public static let radiusMetersDefault = 5_000.0
    /// Unicode scalars of a search text: the longest name of a shop.
    public static let queryCharactersMax = 100
    public static let pageItems = 1...100

    /// Events that `DiscoveryFollower` collects before it stores them: two megabytes of campaigns.
    static let factsPerBatch = 1_024
    /// Database connections: one for each thread that answers requests, and a few more.
    static let readers = ProcessInfo.processInfo.activeProcessorCount + spareReaders
    static let spareReaders = 4
    /// Matches of a text up to which all are read and sorted.
    static let matchesMax = 2_000
    /// Parts of a search up to which its compiled statements are cached.
    static let keptPartsMax = 4
    /// Rows that one search may visit: some tens of milliseconds of a thread.
    static let looksMax = 16_384
    /// Rows that one walk may visit: four times one shop's campaigns.
    static let looksPerWalk = 4_096
    /// Places outside a ring that cost as much as one row.
    static let placesPerLook = 4
    /// Changes of favourites up to which a list by popularity keeps the order of its first page.
    static let changesMax = 2_048
    /// The radius of one building, in metres, which a search by distance never divides.
    static let spotMeters = 25.0
    /// The least width of a ring, in metres: two tables in a café.
    static let leastReachMeters = 1.0
    /// Places kept per shop: the current one, and old ones for begun lists.
    static let placesPerShop = 4
    /// The radius of the first circle of a search, in metres. Each further one is three times as wide.
    static let firstReachMeters = 300.0
    static let reachFactor = 3.0
    /// The divisor of the width of a ring with too many rows, because a far ring is long and must be thin.
    static let narrowingFactor = 27.0
}

/// The shared pools and caches of `Search`; see `PoolTerms`.
package enum SearchPools: String, CaseIterable {
    case searchReaders, standings

    package var terms: PoolTerms {
        switch self {
        case .searchReaders:
            PoolTerms(
                "readers of the search index, beside one for each processor", in: ["Search/Model/DiscoveryFile.swift"],
                capacity: SearchLimits.spareReaders, displaced: .nobody,
                test: "RateTests.searchesAtOnce", reason: "a read takes milliseconds, and an address has few searches at once")
        case .standings:
            .cache(
                "favourite counts and favourites", in: ["Search/Queries/StandingMemory.swift"], capacity: SearchLimits.rememberedAccountsMax
            )
        }
    }
}
