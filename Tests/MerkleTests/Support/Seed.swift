import Foundation

/// Randomness that can be had again: the seed is printed, and taken from `GREENTEA_SEED` when that is set.
struct Seed: RandomNumberGenerator {
    private var state: UInt64

    init(for test: String) {
        let given = ProcessInfo.processInfo.environment["GREENTEA_SEED"].flatMap { UInt64($0) }
        state = given ?? UInt64.random(in: 0...UInt64.max)
        print("\(test): GREENTEA_SEED=\(state)")
    }

    /// SplitMix64 (Steele, Lea, Flood 2014).
    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
