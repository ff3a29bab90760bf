/// The layers in ``layers`` read no clock and generate no random numbers, so that a repeated run gives the same bytes.
struct TimeAndChance: Rule {
    let name = "time-and-chance"

    /// The layers that get time and randomness as arguments.
    static let layers: Set<String> = ["LMDB", "Merkle", "EventLog", "Loyalty", "LoyaltyCodec", "ReadModels", "Audit"]

    /// Files that may use a clock, because they only wait for a limited time and do not return the time.
    static let waits: Set<String> = ["Sources/EventLog/Writer/ThreadSemaphore.swift"]

    private static let words = [
        "Date(", "Date.now", "SystemRandomNumberGenerator", ".random(", ".randomElement(", ".shuffled(", ".shuffle(", "clock_gettime",
        "gettimeofday", "UUID()", "SystemClock",
    ]

    let good = [
        SourceFile(path: "Sources/CommandService/A.swift", text: "var generator = SystemRandomNumberGenerator()\n"),
        SourceFile(path: "Sources/Loyalty/A.swift", text: "/// Date( is for others.\nlet date = CivilDate(year: 1, month: 1, day: 1)\n"),
    ]
    let bad = [
        SourceFile(path: "Sources/EventLog/A.swift", text: "let now = Date()\n"),
        SourceFile(path: "Sources/Loyalty/A.swift", text: "let a = Int.random(in: 0..<4)\n"),
        SourceFile(path: "Sources/LoyaltyCodec/A.swift", text: "var generator = SystemRandomNumberGenerator()\n"),
    ]

    func findings(in file: SourceFile) -> [Finding] {
        guard file.isSwift, let layer = file.layer, Self.layers.contains(layer), !Self.waits.contains(file.path) else { return [] }
        return findings(in: file) { line in
            Self.words.first { isUsed($0, in: line) }
                .map { "take the time or the randomness as an argument; `\($0)` belongs to the service" }
        }
    }

    /// Whether `word` occurs in `line` as a whole word. `CivilDate(` does not contain `Date(` as a whole word.
    private func isUsed(_ word: String, in line: String) -> Bool {
        line.ranges(of: word).contains { range in
            guard !word.hasPrefix("."), range.lowerBound > line.startIndex else { return true }
            let before = line[line.index(before: range.lowerBound)]
            return !before.isLetter && !before.isNumber && before != "_"
        }
    }
}
