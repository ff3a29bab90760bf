import Foundation

/// The seed of every random test of a run.
///
/// It is the same in each run, so that what passed passes again: a build that turns red has a cause in what was changed.
/// `GREENTEA_SEED=random` draws a new one, as `Tools/test --deep` does; `GREENTEA_SEED=NUMBER` plays a run again.
public enum Seed {
    /// Printed the first time that anybody asks.
    public static let value: UInt64 = {
        let asked = ProcessInfo.processInfo.environment["GREENTEA_SEED"]
        let seed = asked == "random" ? UInt64.random(in: 1...999_999_999) : asked.flatMap { UInt64($0) } ?? 20_261_121
        print("GREENTEA_SEED=\(seed)")
        return seed
    }()
}
