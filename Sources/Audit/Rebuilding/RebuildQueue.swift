internal import ReadModels
internal import Synchronization

/// Which model is next, and what came of each, for the threads that share the work.
final class RebuildQueue: Sendable {
    private struct State {
        var next = 0
        var results: [Result<RebuildOutcome, ReadModelError>?]
    }

    private let state: Mutex<State>

    init(_ count: Int) { state = Mutex(State(results: Array(repeating: nil, count: count))) }

    /// Nil when all are taken.
    func next() -> Int? {
        state.withLock { state in
            guard state.next < state.results.count else { return nil }
            defer { state.next += 1 }
            return state.next
        }
    }

    func put(_ result: Result<RebuildOutcome, ReadModelError>, at index: Int) {
        state.withLock { $0.results[index] = result }
    }

    /// In order, once all are done.
    var results: [Result<RebuildOutcome, ReadModelError>] { state.withLock { $0.results.compactMap { $0 } } }
}
