/// What a run came to.
public struct LoadReport: Sendable, Codable {
    /// Seconds of the mix, without opening and checking.
    public let seconds: Double
    public let answers: Int
    /// Answers of 503 that were asked for again.
    public let refusals: Int
    public let stamps: Int
    public let cards: Int
    public let accounts: Int
    public let shops: Int
    public let lanes: Int
    public let seed: UInt64
    /// All routes together.
    let mix: LoadFigures.Route
    let routes: [LoadFigures.Route]
    /// Rules that were broken, counted.
    public let violations: Int
    /// The first of them in words.
    public let firstViolations: [String]

    /// Answers a second.
    public var rate: Double { seconds > 0 ? Double(answers) / seconds : 0 }
}
