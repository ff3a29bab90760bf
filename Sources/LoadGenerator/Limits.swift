/// The generator's limits, each with its unit and reason.
public enum Limits {
    /// The maximum bytes of an answer. A card with a long history has a few thousand bytes; a larger answer is not from our server.
    static let answerBytesMax = 4_194_304
    /// Seconds that an answer may take. After that, the connection is closed as if it had failed. The limit is high, because a machine with
    /// other work sometimes stalls for half a minute.
    static let answerSecondsMax: Int64 = 180
    /// Seconds after which a sign-in code counts as never sent.
    static let codeSecondsMax: Int64 = 30
    /// The number of characters that a report shows of each of two answers that differ. The beginning of an answer has its ids.
    static let answerCharactersShown = 200
    /// The maximum number of violations whose text is kept; further violations are only counted.
    static let violationsKeptMax = 20
    /// The maximum number of codes that wait for a customer or for a second attempt. At this number, no more codes are issued.
    static let codesWaitingMax = 4_096
    /// One of this many shops has a branch that shares the shop's campaign.
    static let shopsPerBranch = 3
    /// Degrees of longitude between a shop and its branch: about 500 metres, so that a search around the shop also finds its branch.
    static let branchDegrees = 0.005
    /// The number of cards on paper that each shop prints.
    static let papersPerShop = 60
    /// Paper cards are drawn only from this many cards at the top of the pile of ``PaperLedger``, so that many of these cards get stamps
    /// more than once.
    static let papersInUse = 16
    /// The longest measurable latency: an hour. With three significant digits, a histogram takes about 190 kB per route.
    static let latencyMicrosecondsMax: UInt64 = 3_600_000_000
    /// The maximum number of retries of one request after answers of 503. After them, the 503 counts as the server's final answer.
    static let refusalsMax = 50
    /// Seconds that a server may be unreachable during a run, unless the plan says otherwise. A restart takes some seconds, and a service
    /// manager may wait some seconds before it.
    public static let outageSecondsMax = 30
    /// Seconds between two messages about an unreachable server.
    static let outageNoticeSeconds: Int64 = 10
    /// Milliseconds between two attempts to reach an unreachable server again.
    static let outageLookMilliseconds = 200
    /// Reviews that the service accepts from one account in ``reviewWindow``.
    static let reviewsMax = 30
    /// The period of ``reviewsMax``: ten minutes.
    static let reviewWindow = Duration.seconds(600)
    /// The radius of searches around a shop, in metres.
    static let lookMeters = 5_000
    /// The maximum number of cards that are read one by one and checked at the end of a run.
    static let cardsCheckedMax = 20_000
}
