import Foundation
import Seeds
import Testing

/// Random histories of three nodes over one shared log. A failure prints its seed and the last steps; the seed repeats it.
///
/// `GREENTEA_SIMULATION_SEEDS=100000` plays more of them.
@Suite struct SimulationTests {
    private static let seeds = ProcessInfo.processInfo.environment["GREENTEA_SIMULATION_SEEDS"].flatMap { Int($0) } ?? 2_000
    /// The seeds within which each mistake must be found.
    private static let seedsPerMistake = 1_000

    @Test("No acknowledged request is lost, doubled or moved, whatever happens between two steps of three nodes")
    func cluster() throws {
        let random = SeededRandom.announced("simulation"), began = ContinuousClock.now
        let found = try Simulations(random).run(Self.seeds)
        if let complaint = found.complaint { Issue.record("\(complaint)") }
        print("\(found.seeds) simulations in \(ContinuousClock.now - began): \(found.tally)")
        for one in Occurrence.allCases { #expect(found.tally[one, default: 0] > 0, "\(one)") }
    }

    @Test("The simulation finds each mistake of a node or of the shared log", arguments: Mistake.allCases)
    func mistake(_ mistake: Mistake) throws {
        let found = try Simulations(.announced("simulation \(mistake)"), mistake).run(Self.seedsPerMistake)
        print("\(mistake): found by seed \(found.seeds): \(found.complaint?.prefix(200) ?? "")")
        #expect(found.complaint != nil)
    }
}
