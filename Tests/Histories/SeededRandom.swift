import Foundation

/// Chance that can be repeated: SplitMix64 (Steele, Lea, Flood, 2014).
public struct SeededRandom: RandomNumberGenerator, Sendable {
    /// What repeats the run; printed by whoever uses it, and read from `GREENTEA_SEED`.
    public let seed: UInt64
    private var state: UInt64

    public init(seed: UInt64) {
        (self.seed, state) = (seed, seed)
    }

    /// From the environment, else new; says which in either case.
    public static func announced(_ name: String) -> SeededRandom {
        let given = ProcessInfo.processInfo.environment["GREENTEA_SEED"].flatMap { UInt64($0) }
        let seed = given ?? UInt64.random(in: 0...0xFFFF_FFFF)
        print("\(name): GREENTEA_SEED=\(seed)")
        return SeededRandom(seed: seed)
    }

    public mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
