/// How far a subscription has come, and how it is: for an operator who asks why something that follows the log has stopped.
public struct SubscriptionStatus: Hashable, Sendable {
    /// What a subscription is at.
    public enum State: Hashable, Sendable {
        /// It hands out events, or waits for them, or for its subscriber. One that stands still shows by its ``lag`` alone.
        case running
        /// Its task was cancelled, or the log closed: there will be no more.
        case ended
        /// It could not read, or its subscriber has fallen over. For the operator: the reason may hold paths.
        case failed(reason: String)
    }

    /// What its subscriber called it; several may have one name.
    public let name: String
    /// Every event through here was handed out or does not match.
    public let position: Position
    /// Events in the log behind ``position``, whether or not they match.
    public let lag: UInt64
    /// What it is at.
    public let state: State

    /// A status. Public, so that whoever shows it can be tried without a log.
    public init(name: String, position: Position, lag: UInt64, state: State) {
        self.name = name
        self.position = position
        self.lag = lag
        self.state = state
    }
}
