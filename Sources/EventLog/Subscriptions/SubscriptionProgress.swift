internal import Synchronization

/// How far one subscription has come, readable by anybody while its subscriber goes on.
final class SubscriptionProgress: Sendable {
    let name: String
    private let reached: Atomic<UInt64>
    private let state = Mutex(SubscriptionStatus.State.running)

    init(name: String, position: Position) {
        self.name = name
        reached = Atomic(position.rawValue)
    }

    /// Through here everything was handed out or does not match.
    var position: Position {
        get { Position(reached.load(ordering: .acquiring)) }
        set { reached.store(newValue.rawValue, ordering: .releasing) }
    }

    /// Ends the subscription, unless it has ended: the first reason is the one that counts.
    func finish(_ final: SubscriptionStatus.State) {
        state.withLock { state in
            if state == .running { state = final }
        }
    }

    func status(head: Position) -> SubscriptionStatus {
        // Taken once: the subscriber moves on, and may be ahead of a head that was asked for before.
        let position = position
        let lag = head > position ? head.rawValue - position.rawValue : 0
        return SubscriptionStatus(name: name, position: position, lag: lag, state: state.withLock { $0 })
    }
}
