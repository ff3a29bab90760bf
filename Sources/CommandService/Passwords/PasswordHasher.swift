import Dispatch
import Synchronization

/// Hashes passwords off the event loop, a few at a time: each takes so much memory that a crowd of them would take all of it.
///
/// Who finds too many waiting is refused at once. Any task may call.
final class PasswordHasher: Sendable {
    /// Guarded by the mutex.
    private struct State {
        var running = 0
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    /// What a new password costs.
    let cost: PasswordCost
    private let state = Mutex(State())
    private let runningMax: Int
    private let waitingMax: Int

    init(cost: PasswordCost, runningMax: Int = Limits.passwordsAtOnce, waitingMax: Int = Limits.passwordsWaitingMax) {
        self.cost = cost
        self.runningMax = runningMax
        self.waitingMax = waitingMax
    }

    /// The hash of a new password, as the text of a `PasswordHash`.
    ///
    /// - Throws: `.overloaded`.
    func hash(_ password: String, salt: [UInt8]) async throws(ServiceError) -> String {
        try await enter()
        defer { leave() }
        do {
            return try await blocking { [cost] in try PasswordHash(password, salt: salt, cost: cost).text }
        } catch {
            throw Self.failure(error)
        }
    }

    /// Whether the password is the one that was hashed. Without a hash it is none, and takes as long all the same.
    ///
    /// - Throws: `.overloaded`.
    func matches(_ password: String, _ hash: PasswordHash?) async throws(ServiceError) -> Bool {
        try await enter()
        defer { leave() }
        do {
            return try await blocking { [cost] in
                if let hash { return try hash.matches(password) }
                _ = try PasswordHash(password, salt: Array(repeating: 0, count: PasswordHash.saltBytes), cost: cost)
                return false
            }
        } catch {
            throw Self.failure(error)
        }
    }

    private static func failure(_ error: any Error) -> ServiceError { .failed("a password could not be hashed: \(error)") }

    private func enter() async throws(ServiceError) {
        let isFull = state.withLock { $0.running >= runningMax && $0.waiting.count >= waitingMax }
        guard !isFull else { throw .overloaded }
        await withCheckedContinuation { continuation in
            let mayGo = state.withLock { state in
                if state.running < runningMax {
                    state.running += 1
                    return true
                }
                state.waiting.append(continuation)
                return false
            }
            if mayGo { continuation.resume() }
        }
    }

    /// Hands the place to the one who has waited longest.
    private func leave() {
        let next = state.withLock { state -> CheckedContinuation<Void, Never>? in
            if state.waiting.isEmpty {
                state.running -= 1
                return nil
            }
            return state.waiting.removeFirst()
        }
        next?.resume()
    }
}
