internal import Synchronization

/// The subscriptions of a log, each listed from its making until it is released.
///
/// The list keeps no subscription and no log alive, only how far each has come.
final class SubscriptionList: Sendable {
    private struct State {
        var lastNumber: UInt64 = 0
        var followers: [UInt64: SubscriptionProgress] = [:]
    }

    private let state = Mutex(State())

    /// - Returns: the number to ``remove(_:)`` it by.
    func add(_ progress: SubscriptionProgress) -> UInt64 {
        state.withLock { state in
            state.lastNumber += 1
            state.followers[state.lastNumber] = progress
            return state.lastNumber
        }
    }

    func remove(_ number: UInt64) {
        _ = state.withLock { $0.followers.removeValue(forKey: number) }
    }

    /// How each stands to a head, in the order in which they were made.
    func statuses(head: Position) -> [SubscriptionStatus] {
        let followers = state.withLock { $0.followers }
        return followers.sorted { $0.key < $1.key }.map { $0.value.status(head: head) }
    }
}
