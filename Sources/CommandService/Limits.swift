/// The limits of this layer, each with its unit and reason.
public enum Limits {
    /// Entities of one kind kept in the writer's memory, per generation of its cache (there are two).
    public static let cachedEntitiesMax = 65_536
    /// How often another code is derived after a collision. Two in a row are already a one in 10¹⁰ event.
    public static let codeAttemptsMax = 8
    /// Seconds that an answer to a write waits for the read models; then it is sent all the same.
    public static let settleSecondsMax = 2.0
    /// Microseconds that the newest event may be ahead of the clock and still hold back time: a clock set right after a small
    /// error. A larger lead is a mistake in the log that must not make every code expire.
    public static let clockLeadMicrosecondsMax: Int64 = 60_000_000
}
