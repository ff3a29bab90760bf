/// The limits of this layer, each with its unit and reason.
public enum Limits {
    /// Commands that may wait for the writer. Beyond it a command is refused at once: at 50,000 commands a second this is a
    /// wait of 80 ms, and a longer queue would only make everybody late.
    public static let waitingCommandsMax = 4_096
    /// Commands decided into one commit. Large enough that the flush is shared by all who wait, small enough that the first
    /// of them does not wait for ever.
    public static let batchCommandsMax = 1_024
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
