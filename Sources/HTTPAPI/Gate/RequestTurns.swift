import Caches
import CommandService
import Loyalty
import LoyaltyCodec
import Synchronization

/// Runs requests with one idempotency key one after another, in the order of arrival.
///
/// Turns are needed if a request is checked or uses up a code before the writer decides: a concurrent retry would otherwise find neither
/// the first answer nor the code, and be refused. After its turn has come, a request looks for the earlier answer.
///
/// Waits are limited in time and number, for each account and in total. A cancelled task leaves the queue at once. Any task may call.
final class RequestTurns: Sendable {
    private struct Waiter {
        let number: UInt64
        /// Resumed with whether the turn has come.
        let continuation: CheckedContinuation<Bool, Never>
        let timeout: Task<Void, Never>

        func end(hasTurn: Bool) {
            timeout.cancel()
            continuation.resume(returning: hasTurn)
        }
    }

    private struct State {
        /// Oldest first, by the hash of account and key. An entry, maybe empty, exists while a request with the key runs.
        var waiting: [UInt128: [Waiter]] = [:]
        var lastNumber: UInt64 = 0
    }

    private let state = Mutex(State())
    private let clock: any Clock
    private let slots: Slots
    private let waitSeconds: Int64

    /// - Parameter waitSeconds: by the steady clock, after which a waiting request is refused.
    init(clock: any Clock, waiting: PoolTerms = Pools.sameKeys.terms, waitSeconds: Int64 = Limits.sameKeyWaitSeconds) {
        (self.clock, self.waitSeconds) = (clock, waitSeconds)
        slots = Slots(waiting, clock: clock)
    }

    /// Begins the turn of a request, which MUST be ended with ``end(_:)``. Waits for earlier requests with the same key; does nothing
    /// without a key.
    ///
    /// - Throws: `overloaded` if the wait takes too long, too many requests wait, or the task is cancelled; then nothing was begun.
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

    /// Returns whether the request runs; false while another one with its key does.
    private static func start(_ request: UInt128, in state: inout State) -> Bool {
        guard state.waiting[request] == nil else { return false }
        state.waiting[request] = []
        return true
    }

    /// Returns false if the wait took too long or the task was cancelled.
    private func hasTurn(_ request: UInt128) async -> Bool {
        let number = nextNumber()
        let deadline = clock.steady().advanced(bySeconds: waitSeconds)
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isFirst = state.withLock { state -> Bool in
                    // The running request may have ended since the first check.
                    if Self.start(request, in: &state) { return true }
                    // This task needs the lock to end the wait, so it finds the waiter, added before the lock is free.
                    let timeout = Task { [self] in
                        while !Task.isCancelled, clock.steady() < deadline { try? await Task.sleep(for: .seconds(waitSeconds)) }
                        leave(number, of: request)
                    }
                    state.waiting[request]?.append(Waiter(number: number, continuation: continuation, timeout: timeout))
                    return false
                }
                if isFirst { continuation.resume(returning: true) }
                // If the task was cancelled earlier, the cancellation handler found no waiter, so the wait ends here.
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

    /// Does nothing if the wait has ended.
    private func leave(_ number: UInt64, of request: UInt128) {
        let waiter = state.withLock { state -> Waiter? in
            guard let index = state.waiting[request]?.firstIndex(where: { $0.number == number }) else { return nil }
            return state.waiting[request]?.remove(at: index)
        }
        waiter?.end(hasTurn: false)
    }
}
