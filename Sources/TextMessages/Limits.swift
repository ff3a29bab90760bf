/// The bounds of this layer, each with its unit and reason.
public enum Limits {
    /// Attempts for one message: a gateway that restarts is back by the third.
    public static let attemptsMax = 3
    /// Seconds that one attempt may take.
    public static let attemptSeconds: Int64 = 5
    /// Milliseconds before the second attempt; twice as long before each further one.
    public static let firstPauseMilliseconds = 500
    /// Messages on their way at once.
    public static let underWayMax = 256
    /// Bytes of a gateway's answer that are read, and thrown away.
    public static let answerBytesMax = 16_384
    /// Bytes of a secret that nobody guesses.
    public static let secretBytesMin = 16
    /// Seconds that a signature may be old for whoever checks it.
    public static let signatureSecondsMax: Int64 = 300
}
