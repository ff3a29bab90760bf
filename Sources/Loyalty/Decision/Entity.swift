/// A thing with an id whose state is folded from events alone. `events.proto` says which events concern it.
public protocol Entity {
    static func id(in event: LoyaltyEvent) -> ID<Self>?

    /// `nil` if the event does not open an entity of this kind.
    init?(opening fact: Fact)

    /// MUST ignore events about other entities, and MUST NOT refuse an event, which has already happened.
    mutating func evolve(_ fact: Fact)
}

extension Entity {
    /// The state after `facts`; of several entities, the one that is opened first.
    @inlinable
    public static func fold(_ facts: some Sequence<Fact>) -> Self? {
        var state: Self?
        for fact in facts {
            if state == nil {
                state = Self(opening: fact)
            } else {
                state?.evolve(fact)
            }
        }
        return state
    }
}

extension Dictionary where Value: Entity, Key == ID<Value> {
    @inlinable
    public mutating func apply(_ fact: Fact) {
        guard let id = Value.id(in: fact.event) else { return }
        if let index = index(forKey: id) {
            values[index].evolve(fact)
        } else {
            self[id] = Value(opening: fact)
        }
    }
}
