internal import Synchronization

/// Pieces of work that threads share: which is next, and what came of each.
final class WorkQueue<Outcome: Sendable>: Sendable {
    private struct State {
        var next = 0
        var outcomes: [Outcome?]
    }

    private let state: Mutex<State>

    private init(_ count: Int) { state = Mutex(State(outcomes: Array(repeating: nil, count: count))) }

    /// Works on so many pieces, by number from 0, whoever is free on the next; returns when all are done.
    ///
    /// - Returns: what came of each, in their order.
    static func outcomes(
        of count: Int, on threads: Int, named name: String, _ work: @escaping @Sendable (Int) -> Outcome
    ) -> [Outcome] {
        let queue = WorkQueue(count)
        let workers = Workers(min(threads, count), named: name) { _ in
            while let piece = queue.next() { queue.put(work(piece), at: piece) }
        }
        workers.wait()
        return queue.state.withLock { $0.outcomes.compactMap { $0 } }
    }

    /// Nil when all are taken.
    private func next() -> Int? {
        state.withLock { state in
            guard state.next < state.outcomes.count else { return nil }
            defer { state.next += 1 }
            return state.next
        }
    }

    private func put(_ outcome: Outcome, at piece: Int) {
        state.withLock { $0.outcomes[piece] = outcome }
    }
}
