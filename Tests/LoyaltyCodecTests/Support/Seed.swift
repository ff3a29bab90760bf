import Foundation

/// The seed of this run's random tests: `GREENTEA_SEED` or a new one, printed so that a failure can be run again.
enum Seed {
    static let current: UInt64 = {
        let given = ProcessInfo.processInfo.environment["GREENTEA_SEED"].flatMap { UInt64($0) }
        let seed = given ?? UInt64.random(in: 0...UInt64.max)
        print("GREENTEA_SEED=\(seed)")
        return seed
    }()

    /// A generator of its own for each test, so that one test's draws do not move another's.
    static func generator(_ test: UInt64) -> SplitMix64 {
        SplitMix64(state: current &+ test &* 0x9E37_79B9_7F4A_7C15)
    }
}
