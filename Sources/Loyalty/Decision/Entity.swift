/// A thing with an id whose state is folded from events alone. `events.proto` says which events concern it.
public protocol Entity {
    /// The id of the entity of this kind that the event opens or changes; `nil` if it concerns none.
    static func id(in event: LoyaltyEvent) -> ID<Self>?

    /// The state after the first event; `nil` if the event does not open an entity of this kind.
    init?(opening fact: Fact)

    /// Applies one event. It MUST ignore an event about any other entity. It MUST NOT refuse an event, because an event in the log has
    /// already happened.
    mutating func evolve(_ fact: Fact)
}

extension Entity {
    /// The state after `facts`, or `nil` if none of them opens an entity of this kind. If the facts are about several, the result is the
    /// one that is opened first.
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
    /// Opens or changes the entity that the event concerns.
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
