import Foundation

/// How much work the random tests of faults do.
enum Effort {
    /// Power cuts in all, from `GREENTEA_POWER_CUTS`: hundreds in each run of the tests, thousands by hand.
    static var powerCuts: Int { number("GREENTEA_POWER_CUTS", 600) }

    /// How many calls of a kind are made to fail in turn, from `GREENTEA_FAULTS`; a child makes fewer than 100 of any kind.
    static var faults: Int { number("GREENTEA_FAULTS", 100) }

    private static func number(_ name: String, _ standard: Int) -> Int {
        max(1, ProcessInfo.processInfo.environment[name].flatMap { Int($0) } ?? standard)
    }
}
