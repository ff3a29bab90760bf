package import Caches
internal import Foundation

/// The limits of this target, with their units and most of their reasons.
public enum SearchLimits {
    /// The maximum number of campaigns whose favourite counts are cached, in each of the cache's two generations. A count takes about 50
    /// bytes.
    static let rememberedCampaignsMax = 16_384
    /// The maximum number of accounts whose favourites are cached, in each of the cache's two generations. An account takes about 50
    /// bytes, because most accounts have no favourites.
    static let rememberedAccountsMax = 16_384
    /// The maximum number of cached favourites of an account. For an account with more, none are cached.
    static let rememberedFavoritesMax = 64
    /// The permitted radius of a search near a place, in metres: at most a day's trip. At greater distances, "near" has no meaning, and
    /// distances on a sphere are too inaccurate.
    public static let radiusMeters = 1.0...100_000.0
    /// The default radius, in metres: a distance for a bicycle ride.
    public static let radiusMetersDefault = 5_000.0
    /// The maximum number of Unicode scalars in a search text: the length of the longest name of a shop.
    public static let queryCharactersMax = 100
    /// The permitted number of items of one page.
    public static let pageItems = 1...100

    /// The maximum number of events that `DiscoveryFollower` collects in memory before it stores them. A thousand events of campaigns, with
    /// two kilobytes each, take two megabytes.
    static let factsPerBatch = 1_024
    /// The maximum number of database connections for concurrent reads: one for each thread that answers requests (one thread for each
    /// processor core), and a few more. They are opened when needed.
    static let readers = ProcessInfo.processInfo.activeProcessorCount + spareReaders
    static let spareReaders = 4
    /// If at most this number of items match a search text, all of them are read, and then filtered and sorted. If more items match, the
    /// search goes by place, popularity or age. By place or popularity, it checks the text of each visited item. By age, it uses the
    /// full-text index.
    static let matchesMax = 2_000
    /// The maximum number of parts (``TextQuery/parts``) of a search whose compiled SQL statements are cached. Each number of parts needs
    /// other statements, so this limit keeps the cache small.
    static let keptPartsMax = 4
    /// The maximum number of rows that all walks of one search may visit together. So a search occupies a thread for at most some tens of
    /// milliseconds.
    static let looksMax = 16_384
    /// The maximum number of rows that one walk of a search may visit: about four times the maximum number of one shop's campaigns.
    static let looksPerWalk = 4_096
    /// The number of places outside a ring that cost a search by distance as much as one row of an item. A place costs less, because only
    /// its distance is computed. If each place cost as much as an item, the list would not get beyond four fifths of a city's radius in a
    /// city of ten thousand shops: the boxes of each thin ring there contain more than ``looksPerWalk`` places.
    static let placesPerLook = 4
    /// A list by popularity keeps the order of its first page until more than this number of favourites have changed.
    static let changesMax = 2_048
    /// The radius of one building, in metres. If the circle around the searched place has too many rows, a search by distance makes the
    /// circle smaller. A circle of at most this radius stays as it is, because all of its rows may be in one building.
    static let spotMeters = 25.0
    /// The distance of two tables in a café, in metres. A search by distance does not make a ring outside the circle of ``spotMeters``
    /// narrower if the ring's width is at most this.
    static let leastReachMeters = 1.0
    /// The maximum number of places kept per shop: the current one, and old ones for lists that were begun before the shop moved. Hardly
    /// any shop moves more often while a list is read.
    static let placesPerShop = 4
    /// The radius of the first circle to search around a place, in metres. If it contains too few items, the next circle is three times as
    /// wide. So a search in a city centre, where a small circle suffices, costs no more than a search in a village.
    static let firstReachMeters = 300.0
    static let reachFactor = 3.0
    /// The divisor of a ring's width if the ring contains too many rows. It is large, because a ring far from the place is long and must
    /// be thin.
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
