import Foundation
import Synchronization

/// Hashes passwords off the event loop, a few at a time: each takes so much memory that a crowd of them would take all of it.
///
/// Who finds too many waiting is refused at once. Any task may call.
final class PasswordHasher: Sendable {
    /// What a new password costs.
    let cost: PasswordCost
    /// Runs as many at once as there is memory for.
    private let queue = OperationQueue()
    /// Running and waiting.
    private let underWay = Atomic(0)
    private let underWayMax: Int

    init(cost: PasswordCost, runningMax: Int = Limits.passwordsAtOnce, waitingMax: Int = Limits.passwordsWaitingMax) {
        self.cost = cost
        underWayMax = runningMax + waitingMax
        queue.maxConcurrentOperationCount = runningMax
    }

    /// The hash of a new password, as the text of a `PasswordHash`.
    ///
    /// - Throws: `.overloaded`; `.failed` where there is no memory left.
    func hash(_ password: String, salt: [UInt8]) async throws(ServiceError) -> String {
        guard enter() else { throw .overloaded }
        let text: String? = await withCheckedContinuation { continuation in
            queue.addOperation { [self] in
                defer { leave() }
                continuation.resume(returning: try? PasswordHash(password, salt: salt, cost: cost).text)
            }
        }
        guard let text else { throw Self.failure }
        return text
    }

    /// Whether the password is the one that was hashed. Without a hash it is none, and takes as long all the same.
    ///
    /// - Throws: as `hash(_:salt:)`.
    func matches(_ password: String, _ hash: PasswordHash?) async throws(ServiceError) -> Bool {
        guard enter() else { throw .overloaded }
        let isRight: Bool? = await withCheckedContinuation { continuation in
            queue.addOperation { [self] in
                defer { leave() }
                continuation.resume(returning: try? compare(password, hash))
            }
        }
        guard let isRight else { throw Self.failure }
        return isRight
    }

    private func compare(_ password: String, _ hash: PasswordHash?) throws -> Bool {
        if let hash { return try hash.matches(password) }
        _ = try PasswordHash(password, salt: Array(repeating: 0, count: PasswordHash.saltBytes), cost: cost)
        return false
    }

    private static let failure = ServiceError.failed("a password could not be hashed: scrypt found no memory")

    private func enter() -> Bool {
        if underWay.add(1, ordering: .relaxed).newValue <= underWayMax { return true }
        leave()
        return false
    }

    private func leave() {
        underWay.subtract(1, ordering: .relaxed)
    }
}
