/// What is to be done.
public struct LoadPlan: Sendable {
    public var accounts: Int
    public var shops: Int
    /// Connections, each with customers of its own.
    public var lanes: Int
    public var pace: Pace
    /// Of the mix, in seconds.
    public var seconds: Double
    public var seed: UInt64

    public init(accounts: Int = 500, shops: Int = 20, lanes: Int = 64, pace: Pace = .flatOut, seconds: Double = 20, seed: UInt64) {
        (self.accounts, self.shops, self.lanes) = (max(accounts, lanes), shops, lanes)
        (self.pace, self.seconds, self.seed) = (pace, seconds, seed)
    }
}
