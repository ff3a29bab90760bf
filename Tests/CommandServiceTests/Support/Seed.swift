import Foundation

/// The seed of every random test: printed, and taken from `GREENTEA_SEED` to repeat a run.
enum Seed {
    static let value: UInt64 = {
        let given = ProcessInfo.processInfo.environment["GREENTEA_SEED"].flatMap { UInt64($0) }
        let seed = given ?? UInt64.random(in: 0...UInt64.max)
        print("GREENTEA_SEED=\(seed)")
        return seed
    }()
}
