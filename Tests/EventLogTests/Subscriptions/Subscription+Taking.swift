import EventLog
import Patience
import Testing

extension Subscription {
    /// The next `count` events; fewer if the subscription ends before it has delivered so many.
    func take(_ count: Int) async throws -> [SequencedEvent] {
        var taken: [SequencedEvent] = []
        if count == 0 { return taken }
        for try await event in self {
            taken.append(event)
            if taken.count == count { break }
        }
        return taken
    }

    /// The positions of the next `count` events.
    func positions(_ count: Int) async throws -> [UInt64] { try await take(count).map(\.position.rawValue) }
}

extension EventLog {
    /// Waits until the list of subscriptions satisfies a condition. Gives up after the patience, and returns the last list.
    func subscriptions(when isWanted: ([SubscriptionStatus]) -> Bool) async throws -> [SubscriptionStatus] {
        let patience = ContinuousClock.now + .seconds(patienceSeconds)
        while true {
            let statuses = subscriptions
            if isWanted(statuses) || .now > patience { return statuses }
            try await Task.sleep(for: .milliseconds(2))
        }
    }
}
