import ArgumentParser

/// How many append at once, and how much: `64x512` are 64 writers whose every append has 512 events.
struct AppendShape: Hashable, Sendable, ExpressibleByArgument, CustomStringConvertible {
    let writers: Int
    /// Of each append.
    let events: Int

    init(_ writers: Int, _ events: Int) {
        self.writers = writers
        self.events = events
    }

    init?(argument: String) {
        let numbers = argument.split(separator: "x", omittingEmptySubsequences: false).map { Int($0) ?? 0 }
        guard numbers.count == 2, numbers.allSatisfy({ $0 > 0 }) else { return nil }
        self.init(numbers[0], numbers[1])
    }

    /// As it is given.
    var description: String { "\(writers)x\(events)" }
}
