/// Request rates, allowances of rows, and the prices of answers.
extension Limits {
    /// The request rate of one account. A till at its busiest issues and polls codes a few times a second; a phone that was offline
    /// requests a few dozen things at once.
    static let accountRate = RequestRate(burst: 600, perSecond: 20)
    /// The request rate of one address, of its accounts together, and of its requests without an account. Mobile carriers put thousands of
    /// phones behind one address, and a mall puts all of its shops behind one. The burst is as many requests as the rate allows in ten
    /// seconds. A client that spends the burst on the costliest requests slows other clients for a second or two.
    static let addressRate = RequestRate(burst: 2_000, perSecond: 200)
    /// The number of bytes of an answer in JSON, of a page or of the metrics that cost one token of the request rate: about ten campaigns
    /// or cards, which take half a millisecond to read and write.
    static let answerBytesPerToken = 4_096
    /// The number of shops and campaigns in a search's answer that cost one token of the request rate. Each is read from the log, which
    /// takes longer than writing it into the answer.
    static let foundPerToken = 4
    /// The number of searches of one account that may run at once. A search is charged when it is done, so a client with hundreds of
    /// connections could begin as many searches before the first is charged. A page makes two, which take milliseconds.
    static let searchesPerAccountMax = 2
    /// The number of searches of one address that may run at once: more than ten accounts have.
    static let searchesPerAddressMax = 32
    /// The number of searches of all addresses that may run at once.
    static let searchesAtOnceMax = 256
    /// The maximum number of campaigns, or of reviews and replies, in an answer about one shop that needs no slot for searches. A longer
    /// answer may have a thousand, which takes tens of milliseconds, as a search does.
    static let itemsWithoutSlotMax = pageItems.upperBound
    /// The number of rows that a search may visit for one token of the request rate. If rows cost nothing, an address could use its whole
    /// rate for searches that each visit 16,384 rows, for tens of milliseconds, and find nothing.
    static let looksPerToken = 32
    /// Additional tokens that an address is charged for a refused request. They apply to refusals with 429 because of any limit except the
    /// address's own request rate. So a client that ignores `Retry-After` can send only a tenth of its usual rate.
    static let refusalTokens = 9
    /// The maximum number of seconds that a client must wait after a long answer that cost more tokens than the client had left.
    static let rateDebtSecondsMax: Int64 = 10
    /// The request rate of one address for proofs, health and other things that need no account. Such a request takes a few hundredths of a
    /// millisecond. A client that copies the 40,000 tiles of a log of ten million events finishes in about a minute.
    static let machineRate = RequestRate(burst: 6_000, perSecond: 600)
    /// Keys, such as accounts or addresses, of which one limit on requests or new connections keeps the rate in memory, in each of two
    /// generations of its cache: about 50 bytes each.
    static let ratedKeysMax = 65_536
    /// Parts into which the memory of request rates is split, each with a lock of its own.
    static let rateParts = 16

    // MARK: Rows

    /// The rows of the log, the models and the keys that requests of one account may look at: each takes about a microsecond. The rate is a
    /// fiftieth of a core. The burst lets an owner page through the codes of a year, look at the numbers of the busiest shops, or export
    /// everything.
    static let accountRowRate = RequestRate(burst: 1_000_000, perSecond: 20_000)
    /// The rows that requests of one address may look at. The rate is a tenth of a core, or a hundred wallets of twenty cards a second.
    static let addressRowRate = RequestRate(burst: 4_000_000, perSecond: 100_000)
    /// The rows that an address and an account may lack of their allowance before their requests get the slow lane: about 60 ms of work.
    static let rowsBeforeSlowLane = 65_536
    /// Requests in the slow lane, over all clients and of one account. A browser makes a handful at once.
    static let slowLaneMax = 256
    static let slowLanePerAccountMax = 8
    /// Steps that wait in the slow lane by turns. A request seldom has more than one at once; further steps wait without a turn.
    static let slowLaneStepsMax = 1_024
    /// The rest of the slow lane after a step, in durations of the step: the lane takes a quarter of a processor.
    static let slowLaneRest = 3
    /// The number of a report's rows that cost as much as one other row. The numbers of the busiest shops take five million rows.
    static let reportRowsPerRow = 8
}
