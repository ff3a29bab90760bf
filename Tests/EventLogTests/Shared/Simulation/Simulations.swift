import Foundation
import Seeds

/// Plays simulations until one complains.
struct Simulations {
    private static let stepsShown = 80

    private var random: SeededRandom
    private let mistake: Mistake?

    init(_ random: SeededRandom, _ mistake: Mistake? = nil) { (self.random, self.mistake) = (random, mistake) }

    struct Found {
        var seeds = 0
        var tally: [Occurrence: Int] = [:]
        /// The first complaint, with its seed and the steps that led to it.
        var complaint: String?
    }

    func run(_ count: Int) throws -> Found {
        var (random, found) = (random, Found())
        while found.seeds < count, found.complaint == nil {
            let seed = random.next()
            found.seeds += 1
            let simulation = try play(seed, traced: false)
            found.tally.merge(simulation.tally, uniquingKeysWith: +)
            guard let complaint = simulation.complaint else { continue }
            let steps = try play(seed, traced: true).trace.suffix(Self.stepsShown)
            found.complaint = "\(complaint)\nseed \(seed)\n\(steps.joined(separator: "\n"))"
        }
        return found
    }

    private func play(_ seed: UInt64, traced isTraced: Bool) throws -> Simulation {
        let folder = Self.memory + "/greentea-simulation-" + UUID().uuidString
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let simulation = Simulation(seed: seed, in: folder, mistake, traced: isTraced)
        simulation.run()
        return simulation
    }

    /// A folder in memory, because every commit is flushed.
    private static let memory = FileManager.default.fileExists(atPath: "/dev/shm") ? "/dev/shm" : NSTemporaryDirectory()
}
