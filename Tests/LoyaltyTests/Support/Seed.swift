import Foundation

/// The seed of every random test: printed, and taken from `GREENTEA_SEED` to repeat a run.
enum Seed {
    /// Whether to print what the random histories reached.
    static let isLoud = ProcessInfo.processInfo.environment["GREENTEA_LOUD"] != nil

    static let value: UInt64 = {
        let given = ProcessInfo.processInfo.environment["GREENTEA_SEED"].flatMap { UInt64($0) }
        let seed = given ?? UInt64.random(in: 0...UInt64.max)
        print("GREENTEA_SEED=\(seed)")
        return seed
    }()
}

/// SplitMix64 (Steele, Lea, Flood 2014): the same numbers from the same seed on every machine.
struct SplitMix64: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) {
        state = seed
    }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
