import Foundation

/// Randomness that a seed repeats (SplitMix64). The seed comes from `GREENTEA_SEED` where that is set, and is printed.
struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64

    init(for test: String) {
        let seed = ProcessInfo.processInfo.environment["GREENTEA_SEED"].flatMap(UInt64.init) ?? UInt64.random(in: 0...UInt64.max)
        print("\(test): GREENTEA_SEED=\(seed)")
        state = seed
    }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var word = state
        word = (word ^ (word >> 30)) &* 0xBF58_476D_1CE4_E5B9
        word = (word ^ (word >> 27)) &* 0x94D0_49BB_1331_11EB
        return word ^ (word >> 31)
    }
}
