import Synchronization

/// The one-way switch that the writer throws when it must never write again.
final class FailStop: Sendable {
    /// Guarded by the mutex.
    struct State {
        var reason: String?
        var waiters: [UInt64: CheckedContinuation<String?, Never>] = [:]
        var nextWaiter: UInt64 = 0
    }

    let state = Mutex(State())

    var reason: String? { state.withLock { $0.reason } }

    /// Throws the switch; the first reason stays.
    func trip(_ reason: String) {
        let waiters = state.withLock { state -> [CheckedContinuation<String?, Never>] in
            guard state.reason == nil else { return [] }
            state.reason = reason
            defer { state.waiters = [:] }
            return Array(state.waiters.values)
        }
        for waiter in waiters { waiter.resume(returning: reason) }
    }

    /// Waits for the reason; `nil` when cancelled.
    func wait() async -> String? {
        let number = state.withLock { state in
            state.nextWaiter += 1
            return state.nextWaiter
        }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let reason = state.withLock { state -> String?? in
                    if let reason = state.reason { return .some(reason) }
                    if Task.isCancelled { return .some(nil) }
                    state.waiters[number] = continuation
                    return nil
                }
                if let reason { continuation.resume(returning: reason) }
            }
        } onCancel: {
            state.withLock { $0.waiters.removeValue(forKey: number) }?.resume(returning: nil)
        }
    }
}
