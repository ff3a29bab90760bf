import Synchronization

/// The acknowledged requests of a load, and the requests whose outcome is unknown.
///
/// A request is in flight from the moment before its first byte is sent until its answer is read. Only an answer ends this state. Recording
/// an answer to a request that is not in flight is a programming error.
final class LoadRecord: Sendable {
    /// A stamp requested under a unique key.
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
