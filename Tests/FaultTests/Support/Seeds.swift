import Faults
import Foundation

/// Where random tests get their seed from, and how much work they do.
enum Seeds {
    /// The seed of a named test: from `GREENTEA_SEED`, else from the clock; printed.
    static func announced(_ test: String) -> UInt64 {
        let given = ProcessInfo.processInfo.environment["GREENTEA_SEED"].flatMap { UInt64($0) }
        let seed = given ?? UInt64.random(in: 1...999_999_999)
        print("\(test): GREENTEA_SEED=\(seed)")
        return seed
    }

    /// Power cuts in all, from `GREENTEA_POWER_CUTS`: hundreds in each run of the tests, thousands by hand.
    static var powerCuts: Int { number("GREENTEA_POWER_CUTS", 600) }

    /// How many calls of a kind are made to fail in turn, from `GREENTEA_FAULTS`; a child makes fewer than 100 of any kind.
    static var faults: Int { number("GREENTEA_FAULTS", 100) }

    private static func number(_ name: String, _ standard: Int) -> Int {
        max(1, ProcessInfo.processInfo.environment[name].flatMap { Int($0) } ?? standard)
    }
}
