import Seeds

/// The share of unflushed data that the system has already written to the disk when the power fails.
package enum Chance: Hashable, Sendable {
    /// No unflushed data is on the disk.
    case nothing
    /// All unflushed data is on the disk, as if only the process had died.
    case everything
    /// Each changed sector, size or name has reached the disk with this probability, in any of its versions since the last flush.
    case percent(Int)

    /// The values from which a random test chooses.
    package static let all: [Chance] = [.nothing, .everything, .percent(10), .percent(50), .percent(90)]

    /// Decides for one sector, size or name how many of its versions have reached the disk, counted from the oldest.
    func count(of versions: Int, _ random: inout SeededRandom) -> Int {
        switch self {
        case .nothing: 0
        case .everything: versions
        case .percent(let percent): versions > 0 && random.percent(percent) ? random.int(1...versions) : 0
        }
    }
}
