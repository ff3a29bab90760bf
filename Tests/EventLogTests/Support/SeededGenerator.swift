import Foundation

/// SplitMix64: the same seed gives the same run. The seed comes from `GREENTEA_SEED`, else from the clock, and is printed.
struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    /// A generator for a named test, and the seed to say when it fails.
    static func announced(_ test: String) -> (SeededGenerator, UInt64) {
        let given = ProcessInfo.processInfo.environment["GREENTEA_SEED"].flatMap { UInt64($0) }
        let seed = given ?? UInt64.random(in: 1...999_999_999)
        print("\(test): GREENTEA_SEED=\(seed)")
        return (SeededGenerator(seed: seed), seed)
    }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    mutating func int(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &self) }

    /// True once in so many.
    mutating func oneIn(_ count: Int) -> Bool { int(1...count) == 1 }

    mutating func pick<Element>(_ elements: [Element]) -> Element { elements[int(0...elements.count - 1)] }
}
