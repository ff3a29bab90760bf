import Foundation

/// The seed of all random tests in a run.
///
/// The seed is the same in each run, so a test that passed fails only because of a change. `GREENTEA_SEED=random` draws a new seed, as
/// `Tools/test --deep` does; `GREENTEA_SEED=NUMBER` repeats a run.
public enum Seed {
    /// The seed. It is printed on first use.
    public static let value: UInt64 = {
        let asked = ProcessInfo.processInfo.environment["GREENTEA_SEED"]
        let seed = asked == "random" ? UInt64.random(in: 1...999_999_999) : asked.flatMap { UInt64($0) } ?? 20_261_121
        print("GREENTEA_SEED=\(seed)")
        return seed
    }()
}
