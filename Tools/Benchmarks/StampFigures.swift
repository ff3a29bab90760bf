/// What one run of stamps came to.
struct StampFigures {
    let count: Int
    /// From the first offer to the last answer.
    let seconds: Double
    /// Of all threads, in microseconds.
    let processorTicks: Int
    /// Of all threads, while they waited for each other or the disk.
    let sleeps: Int
    let commits: CountedCommit.Tally

    var rate: Double { Double(count) / seconds }
    var processorMicroseconds: Double { Double(processorTicks) / Double(count) }
    var eventsAFlush: Double { Double(count) / Double(max(1, commits.flushes)) }
    var commitMicroseconds: Double { commits.seconds / Double(max(1, commits.flushes)) * 1e6 }
    var sleepsOfThousand: Double { Double(sleeps) * 1_000 / Double(count) }
}
