import Loyalty
import Testing
import World

/// The events of a history so far, as a world. Tests have the form `given(events).when(command).then(events)`.
struct Scenario {
    private(set) var world = World()

    /// Adds events to the history, all at one time and by one actor. The actor matters only for codes, because it becomes the issuer of a
    /// code.
    func given(_ events: LoyaltyEvent..., at time: Instant = Sample.start) -> Scenario {
        given(events, at: time)
    }

    func given(_ events: [LoyaltyEvent], at time: Instant = Sample.start, by actor: AccountID = Sample.owner) -> Scenario {
        var next = self
        for event in events {
            next.world.evolve(Fact(position: next.world.position + 1, time: time, actor: actor, event: event))
        }
        return next
    }

    /// Adds the offsets of a time zone to the world.
    func knowing(_ timeZone: String, _ offsets: ZoneOffsets) -> Scenario {
        var next = self
        next.world.zones[timeZone] = offsets
        return next
    }

    func employing(_ account: AccountID, at shop: ShopID = Sample.shop) -> Scenario {
        given(Sample.hired(account, at: shop))
    }

    func when(_ command: Command, by actor: AccountID, at now: Instant = Sample.start) -> Outcome {
        var past = world
        let verdict = command.decide(in: &past, by: actor, at: now)
        return Outcome(before: self, command: command, actor: actor, now: now, verdict: verdict)
    }
}
