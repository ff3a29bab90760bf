internal import Foundation

/// The named limits of this target, each with its unit and its reason.
public enum SearchLimits {
    /// Campaigns whose favourite count is cached, per generation of the cache: about 50 bytes each.
    static let rememberedCampaignsMax = 16_384
    /// Accounts whose favourites are cached, per generation of the cache: about 50 bytes each, because most accounts have no favourites.
    static let rememberedAccountsMax = 16_384
    /// The maximum number of cached favourites of an account. For an account with more, none are cached.
    static let rememberedFavoritesMax = 64
    /// The radius of a search near a place, in metres: up to a day's trip. Beyond that, "near" means nothing and the spherical model is too
    /// inaccurate.
    public static let radiusMeters = 1.0...100_000.0
    /// The default radius, in metres: a distance for a bicycle ride.
    public static let radiusMetersDefault = 5_000.0
    /// The maximum number of characters in a search text: the length of the longest name of a shop.
    public static let queryCharactersMax = 100
    /// Items of one page.
    public static let pageItems = 1...100

    /// Events of this model's types held in memory before they are stored. A thousand campaigns of two kilobytes are two megabytes.
    static let factsPerBatch = 1_024
    /// Connections for concurrent reads: one for each thread that answers requests, and a few more. They are opened when needed.
    static let readers = ProcessInfo.processInfo.activeProcessorCount + 4
    /// The maximum number of matches of a text that are all read before filtering by place and popularity. With more matches, items are
    /// found by place or popularity, and the text is compared with each.
    static let matchesMax = 2_000
    /// Statements for searches with more words than this are not cached, so that the cache does not grow.
    static let keptPartsMax = 4
    /// The number of rows that all walks of one search may visit. So any search takes a thread at most some tens of milliseconds.
    static let looksMax = 16_384
    /// The number of rows that one walk of a search may visit: four times the maximum number of one shop's items.
    static let looksPerWalk = 4_096
    /// A list by popularity keeps the order of its first page until this many favourites have changed.
    static let changesMax = 2_048
    /// The radius of the smallest circle around a place, in metres: one building.
    static let spotMeters = 25.0
    /// The width of the narrowest ring around that circle, in metres: the distance of two tables in a café.
    static let leastReachMeters = 1.0
    /// The number of places kept per shop: the current one, and old ones for lists that were begun before the shop moved. Hardly any shop
    /// moves more often while a list is read.
    static let placesPerShop = 4
    /// The radius of the first circle to search around a place, in metres. If it contains too few items, the next one is three times as
    /// wide, so that a search in a city centre costs no more than one in a village.
    static let firstReachMeters = 300.0
    static let reachFactor = 3.0
    /// The divisor of a ring's width if the ring contains too many items. It is large, because a ring far from the place is long and must
    /// be thin.
    static let narrowingFactor = 27.0
}
