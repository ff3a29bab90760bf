import Caches
import CommandService
import Loyalty
import LoyaltyCodec
import Synchronization

/// The turns of requests with one idempotency key: they run one after another, in the order in which they arrived.
///
/// The writer answers a repeated request by itself, because it decides one request at a time. Turns are for requests that are checked or
/// use up a code before the writer decides. Without turns, a repetition could find neither the answer to the first request, which still
/// runs, nor its code. It would be refused, although the first request is accepted. After its turn has come, a request looks for the answer
/// to the earlier ones; if these were refused, it is decided anew.
///
/// A waiting request holds no lock; an upload holds its bytes and its slot. The duration of a wait and the number of waiting requests are
/// limited, for each account and in total. The request of a cancelled task leaves the queue at once. Any task may call the methods.
final class RequestTurns: Sendable {
    private struct Waiter {
        let number: UInt64
        /// Resumed with whether the request's turn has come.
        let continuation: CheckedContinuation<Bool, Never>
        /// Ends the wait if it takes too long.
        let timeout: Task<Void, Never>

        func end(hasTurn: Bool) {
            timeout.cancel()
            continuation.resume(returning: hasTurn)
        }
    }

    private struct State {
        /// The waiting requests, oldest first, by the hash of their account and key. There is an entry, which may be empty, while a request
        /// with the key runs.
        var waiting: [UInt128: [Waiter]] = [:]
        var lastNumber: UInt64 = 0
    }

    private let state = Mutex(State())
    private let clock: any Clock
    private let slots: Slots
    private let waitSeconds: Int64

    /// - Parameters:
    ///   - waiting: the number of requests that may wait.
    ///   - waitSeconds: seconds, by the steady clock, after which a waiting request is refused.
    init(
        clock: any Clock, waiting: PoolTerms = Pools.sameKeys.terms, waitSeconds: Int64 = Limits.sameKeyWaitSeconds
    ) {
        (self.clock, self.waitSeconds) = (clock, waitSeconds)
        slots = Slots(waiting, clock: clock)
    }

    /// Begins the turn of a request, which MUST be ended with ``end(_:)``. Waits until the earlier requests with the same key have ended.
    /// Does nothing for a request without a key.
    ///
    /// - Throws: `overloaded` if the wait takes too long, if too many requests wait, or if the task is cancelled; then nothing was begun.
    func begin(_ caller: Caller) async throws(Problem) {
        guard let request = caller.mark?.request else { return }
        let isFirst = state.withLock { Self.start(request, in: &$0) }
        guard !isFirst else { return }
        var share = PoolClient.share
        share.account = caller.account.value
        let slot = try slots.take(as: share)
        defer { slot.giveBack() }
        guard await hasTurn(request) else { throw Problem(ServiceError.overloaded) }
    }

    /// Ends the turn of a request, so that the next request with the same key has its turn.
    func end(_ caller: Caller) {
        guard let request = caller.mark?.request else { return }
        let next = state.withLock { state -> Waiter? in
            guard state.waiting[request]?.isEmpty == false else {
                state.waiting[request] = nil
                return nil
            }
            return state.waiting[request]?.removeFirst()
        }
        next?.end(hasTurn: true)
    }

    /// Notes that a request runs, unless another request with its key runs.
    ///
    /// - Returns: whether the request runs.
    private static func start(_ request: UInt128, in state: inout State) -> Bool {
        guard state.waiting[request] == nil else { return false }
        state.waiting[request] = []
        return true
    }

    /// Waits for the turn of a request.
    ///
    /// - Returns: whether the turn has come; false if the wait took too long or the task was cancelled.
    private func hasTurn(_ request: UInt128) async -> Bool {
        let number = nextNumber()
        let deadline = clock.steady().advanced(bySeconds: waitSeconds)
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isFirst = state.withLock { state -> Bool in
                    // The running request may have ended since the first check.
                    if Self.start(request, in: &state) { return true }
                    // This task needs the lock to end the wait, so it finds the waiter, which is added before the lock is free.
                    let timeout = Task { [self] in
                        while !Task.isCancelled, clock.steady() < deadline { try? await Task.sleep(for: .seconds(waitSeconds)) }
                        leave(number, of: request)
                    }
                    state.waiting[request]?.append(Waiter(number: number, continuation: continuation, timeout: timeout))
                    return false
                }
                if isFirst { continuation.resume(returning: true) }
                // If the task was cancelled before the waiter was added, the cancellation handler found no waiter, so the wait is ended
                // here.
                if Task.isCancelled { leave(number, of: request) }
            }
        } onCancel: {
            leave(number, of: request)
        }
    }

    private func nextNumber() -> UInt64 {
        state.withLock { state in
            state.lastNumber += 1
            return state.lastNumber
        }
    }

    /// Ends the wait of a request without a turn, unless the wait has already ended.
    private func leave(_ number: UInt64, of request: UInt128) {
        let waiter = state.withLock { state -> Waiter? in
            guard let index = state.waiting[request]?.firstIndex(where: { $0.number == number }) else { return nil }
            return state.waiting[request]?.remove(at: index)
        }
        waiter?.end(hasTurn: false)
    }
}
