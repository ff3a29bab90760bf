/// What of a run a read wants: positions counted from the run's first, and the order.
struct RunWindow: Sendable {
    let run: Run
    let first, last: UInt64
    /// Newest first.
    let backwards: Bool
    /// How many positions of each list are wanted at most.
    private let limit: Int

    init(_ range: PositionRange, of run: Run, limit: Int) {
        self.run = run
        first = max(range.first, run.first) - run.first
        last = min(range.last, run.last) - run.first
        backwards = range.backwards
        self.limit = limit
    }

    /// How many positions there are when a list that begins at `count` has given enough.
    func end(from count: Int) -> Int { count + min(limit, .max - count) }
}
