internal import Synchronization

/// The hand-over of a generation that the server itself has built, to the thread that follows the model in the same process.
///
/// Unlike ``HandoverFiles``, which another process needs, it leaves nothing behind, and each request gets its answer: the builder waits for
/// it, or withdraws the request before the switch begins.
final class OwnHandover: HandoverDesk {
    private enum State {
        case idle
        case asked(Handover)
        case taken
        case answered(HandoverAnswer)
    }

    private let state = Mutex(State.idle)

    var asked: Handover? { state.withLock { if case .asked(let handover) = $0 { handover } else { nil } } }

    var answered: HandoverAnswer? { state.withLock { if case .answered(let answer) = $0 { answer } else { nil } } }

    var isTaken: Bool { state.withLock { if case .taken = $0 { true } else { false } } }

    /// There MUST NOT be a request under way.
    func ask(_ handover: Handover) { state.withLock { $0 = .asked(handover) } }

    /// Returns false if the request was taken, so that an answer follows, or has come.
    func withdraw() -> Bool {
        state.withLock { state in
            guard case .asked = state else { return false }
            state = .idle
            return true
        }
    }

    func take(_ handover: Handover) -> Bool {
        state.withLock { state in
            guard case .asked(handover) = state else { return false }
            state = .taken
            return true
        }
    }

    func reply(_ answer: HandoverAnswer) { state.withLock { $0 = .answered(answer) } }
}

protocol HandoverDesk: Sendable {
    var isTaken: Bool { get }

    /// Takes the request, after which it cannot be withdrawn. Returns false if it was withdrawn or replaced.
    func take(_ handover: Handover) -> Bool

    /// Leaves the answer to a request that was taken.
    func reply(_ answer: HandoverAnswer) throws(ReadModelError)
}

/// A request that the server carries out.
struct HandoverRequest: Sendable {
    let handover: Handover
    let desk: any HandoverDesk
}
