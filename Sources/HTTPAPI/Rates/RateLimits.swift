/// Request rates, allowances of rows, and the prices of answers.
extension Limits {
    /// A busy till polls codes a few times a second; a phone that was offline requests a few dozen things at once.
    static let accountRate = RequestRate(burst: 600, perSecond: 20)
    /// Carriers put thousands of phones behind one address, a mall all its shops.
    static let addressRate = RequestRate(burst: 2_000, perSecond: 200)
    /// Bytes of a composed answer for one token: about ten cards, half a millisecond.
    static let answerBytesPerToken = 4_096
    /// Found shops and campaigns for one token; each is read from the log.
    static let foundPerToken = 4
    /// Searches are charged when done, so hundreds of connections could begin as many before the first is charged.
    static let searchesPerAccountMax = 2
    /// More than ten accounts have.
    static let searchesPerAddressMax = 32
    static let searchesAtOnceMax = 256
    /// Items about one shop that need no slot for searches.
    static let itemsWithoutSlotMax = pageItems.upperBound
    /// Rows of a search for one token: free rows would allow searches that visit 16,384 rows and find nothing.
    static let looksPerToken = 32
    /// Further tokens for a 429 by another limit than the address's rate: ignoring `Retry-After` leaves a tenth of the usual rate.
    static let refusalTokens = 9
    /// The most seconds that a client waits after an answer that cost more than it had left.
    static let rateDebtSecondsMax: Int64 = 10
    /// For cheap requests without an account, such as proofs. The 40,000 tiles of ten million events take about a minute.
    static let machineRate = RequestRate(burst: 6_000, perSecond: 600)
    /// Keys in each of a cache's two generations, about 50 bytes each.
    static let ratedKeysMax = 65_536
    /// Each part has a lock of its own.
    static let rateParts = 16

    // MARK: Rows

    /// Rows of the log, models and keys, a microsecond each: a fiftieth of a core. The burst covers a year of codes, the busiest shops'
    /// numbers, or an export.
    static let accountRowRate = RequestRate(burst: 1_000_000, perSecond: 20_000)
    /// A tenth of a core, or a hundred wallets of twenty cards a second.
    static let addressRowRate = RequestRate(burst: 4_000_000, perSecond: 100_000)
    /// Missing rows of an allowance that lead to the slow lane: about 60 ms of work.
    static let rowsBeforeSlowLane = 65_536
    static let slowLaneMax = 256
    static let slowLanePerAccountMax = 8
    /// Steps that wait by turns, seldom more than one a request; further steps wait without a turn.
    static let slowLaneStepsMax = 1_024
    /// Rest after a step, in its durations: the lane takes a quarter of a processor.
    static let slowLaneRest = 3
    /// A report's rows that cost as much as one other row.
    static let reportRowsPerRow = 8
}
