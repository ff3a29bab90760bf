/// How many requests somebody may send: so many at once, and so many a second in the long run.
public struct RequestRate: Hashable, Sendable {
    /// Requests that may come all at once after a rest.
    public let burst: Int
    /// Requests a second that may go on for ever.
    public let perSecond: Int

    /// - Parameters:
    ///   - burst: at least 1.
    ///   - perSecond: 1 to 1,000,000; what lies outside is moved to the nearest.
    public init(burst: Int, perSecond: Int) {
        (self.burst, self.perSecond) = (max(burst, 1), min(max(perSecond, 1), 1_000_000))
    }
}
