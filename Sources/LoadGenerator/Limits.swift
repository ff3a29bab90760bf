/// The generator's bounds, each with its unit and reason.
public enum Limits {
    /// An answer in bytes: a card with a long history has a few thousand; more is not ours.
    static let answerBytesMax = 4_194_304
    /// Seconds that an answer may take before the server counts as hanging: many, for a machine that does other things stands still for
    /// half a minute at times.
    static let answerSecondsMax: Int64 = 180
    /// Seconds after which a sign-in code counts as never sent.
    static let codeSecondsMax: Int64 = 30
    /// Characters of an answer that a difference shows: the ids stand at the beginning.
    static let answerCharactersShown = 200
    /// Violations that are kept in words; the rest are counted.
    static let violationsKeptMax = 20
    /// Codes that wait for their customer or for a second attempt: beyond it the oldest are entered first.
    static let codesWaitingMax = 4_096
    /// Microseconds that a histogram can tell, an hour; with three digits that is some 300 kB a route.
    static let latencyMicrosecondsMax: UInt64 = 3_600_000_000
    /// How often an answer of 503 is asked for again before the server counts as failed.
    static let refusalsMax = 50
    /// Seconds that a server may be away in the middle of a run: a restart on a long log takes some.
    static let outageSecondsMax: Int64 = 120
    /// Milliseconds between two tries to reach it again.
    static let outageLookMilliseconds = 200
    /// How far customers look around, in metres.
    static let lookMeters = 5_000
    /// Full cards that a customer lets lie before redeeming one comes first.
    static let fullCardsMax = 3
    /// Cards that are read one by one at the end.
    static let cardsCheckedMax = 20_000
}
