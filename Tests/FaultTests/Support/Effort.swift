import Foundation

/// The amount of work in the random fault tests.
enum Effort {
    /// The number of power cuts in total, from `GREENTEA_POWER_CUTS`. A normal test run makes hundreds; a manual run may make thousands.
    static var powerCuts: Int { number("GREENTEA_POWER_CUTS", 600) }

    /// The number of calls of each kind that are made to fail in turn, from `GREENTEA_FAULTS`. A child makes fewer than 100 calls of any
    /// kind.
    static var faults: Int { number("GREENTEA_FAULTS", 100) }

    private static func number(_ name: String, _ standard: Int) -> Int {
        max(1, ProcessInfo.processInfo.environment[name].flatMap { Int($0) } ?? standard)
    }
}
