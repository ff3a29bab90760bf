internal import Foundation

/// The named limits of this target, each with its unit and its reason.
public enum SearchLimits {
    /// Campaigns whose number of keepers is remembered, per generation: about 50 bytes each.
    static let rememberedCampaignsMax = 16_384
    /// Accounts whose favourites are remembered, per generation: about 50 bytes each, for most keep nothing.
    static let rememberedAccountsMax = 16_384
    /// Favourites of an account that are remembered at most; of one with more none are.
    static let rememberedFavoritesMax = 64
    /// How far a search for what is near may reach, in metres: a day's trip. Farther, "near" means nothing and the sphere's error counts.
    public static let radiusMeters = 1.0...100_000.0
    /// The radius where nobody names one, in metres: what one goes to by bicycle.
    public static let radiusMetersDefault = 5_000.0
    /// A searched text, in characters: the longest name that a shop can have.
    public static let queryCharactersMax = 100
    /// Items of one page.
    public static let pageItems = 1...100

    /// Events of this model's types gathered in memory before they are stored: a thousand campaigns of two kilobytes are two megabytes.
    static let factsPerBatch = 1_024
    /// Connections that read at once: one for each thread that answers requests, and a few for others. They are opened when needed.
    static let readers = ProcessInfo.processInfo.activeProcessorCount + 4
    /// Matches of a text up to which they are all looked at, before places and popularity narrow them down; beyond that, the text is
    /// compared with what those turn up.
    static let matchesMax = 2_000
    /// Searches for more words than these are compiled each time, so that statements do not pile up.
    static let keptPartsMax = 4
    /// Rows that one search looks at, all its walks together: some tens of milliseconds of one thread, whatever was asked.
    static let looksMax = 16_384
    /// Rows that one walk of a search looks at, four times what one shop can have.
    static let looksPerWalk = 4_096
    /// Changes of favourites since a list by popularity was begun up to which it goes on as it stood then.
    static let changesMax = 2_048
    /// A circle around a place that is not made narrower, in metres: one building.
    static let spotMeters = 25.0
    /// A ring farther out that is not made narrower, in metres: two tables of one café.
    static let leastReachMeters = 1.0
    /// Places of one shop that are kept for lists that were begun before it moved: more than anybody moves while a list is read.
    static let placesPerShop = 4
    /// The first circle around a place that is looked into, in metres. Where it holds too little, the next is three times as wide, so
    /// that a city's centre costs no more than a village.
    static let firstReachMeters = 300.0
    static let reachFactor = 3.0
    /// How much narrower the next ring is where one holds too much: far out, a ring is long, and has to be thin.
    static let narrowingFactor = 27.0
}
