/// Whether the re-run under the recorded rules is the log: what every what-if stands on.
public struct SelfCheck: Hashable, Sendable {
    /// Where a decision is not what was recorded.
    public struct Difference: Hashable, Sendable {
        /// Of the first event of the command.
        public let position: UInt64
        public let detail: String

        init(position: UInt64, detail: String) {
            (self.position, self.detail) = (position, detail)
        }
    }

    /// Commands decided again whose events were the recorded ones.
    public let equal: Int
    /// Commands decided again whose events were others.
    public let different: Int
    /// The first of these.
    public let firstDifference: Difference?
    /// The digest of card progress, as the re-run makes it; 64 hexadecimal digits.
    public let digest: String
    /// The same of a replay of the log, which decides nothing.
    public let replayDigest: String

    /// Every decision was the recorded one, and so the state is.
    public var isPassed: Bool { different == 0 && digest == replayDigest }
}
