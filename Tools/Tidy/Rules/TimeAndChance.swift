/// Layers that must give the same bytes in a repeated run read no clock and generate no random numbers.
struct TimeAndChance: Rule {
    let name = "time-and-chance"

    /// The layers that get time and randomness as arguments.
    private static let layers = ["LMDB", "Merkle", "EventLog", "Loyalty", "LoyaltyCodec", "ReadModels", "Audit"].map { "Sources/\($0)/" }
    /// May use a clock, because it only waits for a limited time and does not return the time.
    private static let wait = "Sources/EventLog/Writer/ThreadSemaphore.swift"
    private static let words = [
        "Date(", "Date.now", "SystemRandomNumberGenerator", "random(", "randomElement(", "shuffled(", "shuffle(", "clock_gettime",
        "gettimeofday", "UUID()", "SystemClock",
    ]

    let good: KeyValuePairs = [
        "Sources/CommandService/A.swift": "var generator = SystemRandomNumberGenerator()\n",
        "Sources/Loyalty/A.swift": "/// Date( is for others.\nlet date = CivilDate(year: 1, month: 1, day: 1)\n",
    ]
    let bad: KeyValuePairs = [
        "Sources/EventLog/A.swift": "let now = Date()\n",
        "Sources/Loyalty/A.swift": "let a = Int.random(in: 0..<4)\n",
        "Sources/LoyaltyCodec/A.swift": "var generator = SystemRandomNumberGenerator()\n",
    ]

    func findings(in file: SourceFile) -> [Finding] {
        guard file.isSwift, Self.layers.contains(where: file.path.hasPrefix), file.path != Self.wait else { return [] }
        return findings(in: file.code, of: file) { line in
            // As a whole word: `CivilDate(` is no clock.
            Self.words.first { line.hasWord($0, notBehind: ["_"]) }
                .map { "take the time or the randomness as an argument; `\($0)` belongs to the service" }
        }
    }
}
