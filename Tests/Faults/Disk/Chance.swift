import Seeds

/// The share of unflushed data that has reached the disk by itself when the power fails.
package enum Chance: Hashable, Sendable {
    /// None: all data waited for a flush.
    case nothing
    /// All of it, as if only the process had died.
    case everything
    /// This percentage of the sectors, each in any of its versions since the last flush.
    case percent(Int)

    /// The chances from which a random test draws.
    package static let all: [Chance] = [.nothing, .everything, .percent(10), .percent(50), .percent(90)]

    /// The number of versions that are on disk, counted from the oldest.
    func count(of versions: Int, _ random: inout SeededRandom) -> Int {
        switch self {
        case .nothing: 0
        case .everything: versions
        case .percent(let percent): versions > 0 && random.percent(percent) ? random.int(1...versions) : 0
        }
    }
}
