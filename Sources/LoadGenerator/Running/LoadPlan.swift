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
    /// The file that a server without `--dev` writes its sign-in codes to, as `--sms file:` does; nil where answers carry them.
    public var codes: String?
    /// Whether each connection comes from an address of its own, 127.0.0.1 in the first lane, 127.1.0.1 in the second: for a server on
    /// this machine that limits each address.
    public var hasOwnAddresses = false

    /// The address that a lane's connection comes from; nil for whatever the system takes.
    func address(of lane: Int) -> String? { hasOwnAddresses ? "127.\(lane % 256).\(lane / 256).1" : nil }

    public init(accounts: Int = 500, shops: Int = 20, lanes: Int = 64, pace: Pace = .flatOut, seconds: Double = 20, seed: UInt64) {
        (self.accounts, self.shops, self.lanes) = (max(accounts, lanes), shops, lanes)
        (self.pace, self.seconds, self.seed) = (pace, seconds, seed)
    }
}
