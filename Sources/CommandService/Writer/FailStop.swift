import EventLog
import LMDB
import Projections
import Synchronization

/// The reason why the writer stopped for good.
public struct WriterEnd: Hashable, Sendable {
    public let reason: String
    /// Whether the last commit certainly stored nothing, as on a full disk. Otherwise only the restart shows what it stored.
    public let storedNothing: Bool

    package init(_ error: any Error) {
        reason = String(describing: error)
        storedNothing = Self.isOutOfSpace(error)
    }

    /// Whether an error means a full disk or memory map, so that its transaction stored nothing and a retry can succeed.
    public static func isOutOfSpace(_ error: any Error) -> Bool {
        switch error {
        case let error as EventLogError: error.isOutOfSpace
        case let error as ReadModelError: error.isOutOfSpace
        case let error as LMDBError: error.code == .diskFull || error.code == .mapFull
        default: FileFault(system: error) == .full
        }
    }
}

/// The switch that the writer trips when it must never write again. It cannot be reset.
package final class FailStop: Sendable {
    struct State {
        var reason: WriterEnd?
        var waiters: [UInt64: CheckedContinuation<WriterEnd?, Never>] = [:]
        var nextWaiter: UInt64 = 0
    }

    let state = Mutex(State())

    package init() {}

    package var reason: WriterEnd? { state.withLock { $0.reason } }

    /// Trips the switch. An earlier reason is kept.
    package func trip(_ reason: WriterEnd) {
        let waiters = state.withLock { state -> [CheckedContinuation<WriterEnd?, Never>] in
            guard state.reason == nil else { return [] }
            state.reason = reason
            defer { state.waiters = [:] }
            return Array(state.waiters.values)
        }
        for waiter in waiters { waiter.resume(returning: reason) }
    }

    /// Returns the reason once the switch is tripped; nil if the task is cancelled.
    package func wait() async -> WriterEnd? {
        let number = state.withLock { state in
            state.nextWaiter += 1
            return state.nextWaiter
        }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let reason = state.withLock { state -> WriterEnd?? in
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
