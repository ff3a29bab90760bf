import Seeds

/// How much of what was not flushed has reached the disk by itself when the power fails.
package enum Chance: Hashable, Sendable {
    /// Nothing: everything waited for a flush.
    case nothing
    /// Everything: as if only the process had died.
    case everything
    /// This many percent of the sectors, in any of the versions that they had.
    case percent(Int)

    /// The cuts that a random test draws from.
    package static let all: [Chance] = [.nothing, .everything, .percent(10), .percent(50), .percent(90)]

    /// How many of so many versions are on disk, counted from the oldest.
    func count(of versions: Int, _ random: inout SeededRandom) -> Int {
        switch self {
        case .nothing: 0
        case .everything: versions
        case .percent(let percent): versions > 0 && random.percent(percent) ? random.int(1...versions) : 0
        }
    }
}
