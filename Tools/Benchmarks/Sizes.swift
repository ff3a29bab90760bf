/// How much is measured.
struct Sizes {
    /// Times each measurement is repeated.
    var rounds: Int
    /// Concurrent callers of each row.
    var callers: [Int]
    /// Durable stamps for each row of one round, at most: a row of one caller takes a tenth.
    var stamps: Int
    /// Seconds of load over HTTP for each row of one round.
    var httpSeconds: Int
    /// Stamp codes made ready for one second of load over HTTP.
    var codesPerSecond: Int
    /// Events of the log that is replayed.
    var replayedEvents: Int
    /// Events of each town whose log is replayed and whose models are rebuilt.
    var townEvents: [Int]
    /// Events of the town whose models are rebuilt beside a server.
    var rebuiltEvents: Int
    /// Events of each log that is verified.
    var verifiedEvents: [Int]
    /// Events of each log whose index is measured.
    var indexedEvents: [Int]
    /// Shops among which to search.
    var searchedShops: [Int]
    /// Writers and events an append of each row of the log itself.
    var shapes: [AppendShape]
    /// Seconds of appends for each of these rows of one round; reads take half of it.
    var logSeconds: Double

    static let full = Sizes(
        rounds: 3, callers: [1, 64, 1_024], stamps: 60_000, httpSeconds: 3, codesPerSecond: 25_000, replayedEvents: 1_000_000,
        townEvents: [100_000, 1_000_000, 10_000_000], rebuiltEvents: 1_000_000,
        verifiedEvents: [1_000_000], indexedEvents: [1_000_000], searchedShops: [100_000],
        shapes: [.init(1, 1), .init(64, 1), .init(128, 1), .init(64, 64), .init(64, 512)], logSeconds: 2)
    static let small = Sizes(
        rounds: 1, callers: [1, 16], stamps: 500, httpSeconds: 3, codesPerSecond: 8_000, replayedEvents: 5_000,
        townEvents: [20_000], rebuiltEvents: 20_000,
        verifiedEvents: [5_000], indexedEvents: [20_000], searchedShops: [200],
        shapes: [.init(1, 1), .init(8, 64)], logSeconds: 0.1)
}
