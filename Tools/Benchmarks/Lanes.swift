/// Tasks that each do one thing after the other for some seconds, and how long each thing took.
struct Lanes {
    /// Of each thing done, ascending.
    let microseconds: [Double]
    /// Things done by each task.
    let counts: [Int]
    /// From the first beginning to the last end.
    let seconds: Double

    var count: Int { microseconds.count }
    /// Things a second.
    var rate: Double { Double(count) / seconds }

    /// The time that this part of all things took at most, in microseconds.
    func percentile(_ part: Double) -> Double {
        microseconds.isEmpty ? 0 : microseconds[min(count - 1, Int(Double(count) * part))]
    }

    /// Lets each of `lanes` tasks begin steps until `seconds` are over.
    static func run(
        _ lanes: Int, seconds: Double, _ step: @escaping @Sendable (_ lane: Int, _ number: Int) async throws -> Void
    ) async throws -> Lanes {
        let clock = ContinuousClock()
        let begin = clock.now
        let end = begin + .seconds(seconds)
        let lists = try await withThrowingTaskGroup(of: (Int, [Double]).self) { group in
            for lane in 0..<lanes {
                group.addTask { (lane, try await times(of: step, in: lane, until: end)) }
            }
            return try await group.reduce(into: [[Double]](repeating: [], count: lanes)) { $0[$1.0] = $1.1 }
        }
        let elapsed = (clock.now - begin) / .seconds(1)
        return Lanes(microseconds: lists.joined().sorted(), counts: lists.map(\.count), seconds: elapsed)
    }

    private static func times(
        of step: @Sendable (_ lane: Int, _ number: Int) async throws -> Void, in lane: Int, until end: ContinuousClock.Instant
    ) async throws -> [Double] {
        let clock = ContinuousClock()
        var times: [Double] = []
        repeat {
            let began = clock.now
            try await step(lane, times.count)
            times.append((clock.now - began) / .microseconds(1))
            // A step that never waits would keep its thread until the end, and other lanes from beginning.
            await Task.yield()
        } while clock.now < end
        return times
    }
}
