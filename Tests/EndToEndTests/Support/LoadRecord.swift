import Synchronization

/// What the customers of a load know for sure, and what they do not.
///
/// One that asserts: a request is in flight from before its first byte until its answer is read, and it leaves that state only
/// by an answer.
final class LoadRecord: Sendable {
    /// One stamp, asked for under a key of its own.
    struct Visit: Hashable, Sendable {
        let customer: Int
        let key: String
        let code: String
        let stamps: Int
    }

    private struct State {
        var acknowledged: [Visit: Answer] = [:]
        var inFlight: Set<Visit> = []
    }

    private let state = Mutex(State())

    var acknowledged: [Visit: Answer] { state.withLock { $0.acknowledged } }
    var inFlight: Set<Visit> { state.withLock { $0.inFlight } }

    func begin(_ visit: Visit) {
        let isNew = state.withLock { $0.inFlight.insert(visit).inserted }
        precondition(isNew, "a key was used twice")
    }

    func acknowledge(_ visit: Visit, _ answer: Answer) {
        let wasInFlight = state.withLock { state in
            state.acknowledged[visit] = answer
            return state.inFlight.remove(visit) != nil
        }
        precondition(wasInFlight, "an answer to nothing")
    }
}
