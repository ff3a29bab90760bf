/// The generator's limits.
public enum Limits {
    /// A card with a long history has a few thousand bytes; a larger answer is not from our server.
    static let answerBytesMax = 4_194_304
    /// Seconds, after which the connection counts as failed. High, because a busy machine may stall for half a minute.
    static let answerSecondsMax: Int64 = 180
    /// Seconds after which a sign-in code counts as never sent.
    static let codeSecondsMax: Int64 = 30
    /// Characters shown of each of two differing answers. The beginning has the ids.
    static let answerCharactersShown = 200
    /// Further violations are only counted.
    static let violationsKeptMax = 20
    /// Codes that wait for a customer or a second attempt; then no more are issued.
    static let codesWaitingMax = 4_096
    /// One of this many shops has a branch that shares its campaign.
    static let shopsPerBranch = 3
    /// About 500 metres of longitude, so that a search around a shop also finds its branch.
    static let branchDegrees = 0.005
    static let papersPerShop = 60
    /// Cards drawn from the top of ``PaperLedger``, so that many get stamps more than once.
    static let papersInUse = 16
    /// An hour. With three significant digits, a histogram takes about 190 kB per route.
    static let latencyMicrosecondsMax: UInt64 = 3_600_000_000
    /// Retries after 503; then the 503 is final.
    static let refusalsMax = 50
    /// Seconds of unreachability, by default: a restart and a service manager's pause take some.
    public static let outageSecondsMax = 30
    /// Seconds between two messages about an unreachable server.
    static let outageNoticeSeconds: Int64 = 10
    static let outageLookMilliseconds = 200
    /// Per account in ``reviewWindow``.
    static let reviewsMax = 30
    static let reviewWindow = Duration.seconds(600)
    static let lookMeters = 5_000
    /// Cards read one by one at the end of a run.
    static let cardsCheckedMax = 20_000
}
