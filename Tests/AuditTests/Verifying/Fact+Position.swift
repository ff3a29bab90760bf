import Loyalty

extension Fact {
    /// Returns the same fact at another position.
    func at(_ position: UInt64) -> Fact { Fact(position: position, time: time, actor: actor, event: event) }
}
