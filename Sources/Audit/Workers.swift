internal import Dispatch
internal import EventLog
internal import Synchronization

/// Several threads that run the same function and can be awaited together.
package struct Workers {
    private static let stackBytes = 4 << 20

    private let ended = DispatchGroup()

    /// Each thread gets its number from 0.
    package init(_ count: Int, named name: String, _ body: @escaping @Sendable (Int) -> Void) {
        for number in 0..<count { AwaitedThread.start("\(name)-\(number)", in: ended, stackBytes: Self.stackBytes) { body(number) } }
    }

    /// The threads then have released what `body` refers to, such as an open log.
    package func wait() { ended.wait() }
}

/// A queue of numbered tasks for several threads.
final class WorkQueue<Outcome: Sendable>: Sendable {
    private struct State {
        var next = 0
        var outcomes: [Outcome?]
    }

    private let state: Mutex<State>

    private init(_ count: Int) { state = Mutex(State(outcomes: Array(repeating: nil, count: count))) }

    /// Calls `work` on the next free thread. Returns the results in the order of the numbers.
    static func outcomes(of count: Int, on threads: Int, named name: String, _ work: @escaping @Sendable (Int) -> Outcome) -> [Outcome] {
        let queue = WorkQueue(count)
        let workers = Workers(min(threads, count), named: name) { _ in
            while let piece = queue.next() { queue.put(work(piece), at: piece) }
        }
        workers.wait()
        return queue.state.withLock { $0.outcomes.compactMap { $0 } }
    }

    private func next() -> Int? {
        state.withLock { state in
            guard state.next < state.outcomes.count else { return nil }
            defer { state.next += 1 }
            return state.next
        }
    }

    private func put(_ outcome: Outcome, at piece: Int) { state.withLock { $0.outcomes[piece] = outcome } }
}
