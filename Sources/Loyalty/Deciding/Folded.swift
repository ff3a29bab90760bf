/// A state that is nothing but its events, folded in order.
public protocol Folded {
    /// The state as its first event leaves it; `nil` for any event that opens nothing of this kind.
    init?(opening fact: Fact)

    /// Applies one event. It MUST ignore an event that is not about this very thing, and MUST NOT judge: what the log says
    /// happened, happened.
    mutating func evolve(_ fact: Fact)
}

extension Folded {
    /// The state after `facts`, or `nil` where none of them opens one. The first to open wins: facts about several things of
    /// this kind give the first of them.
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
