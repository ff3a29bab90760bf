import Loyalty

extension Fact {
    /// The same at another position.
    func at(_ position: UInt64) -> Fact { Fact(position: position, time: time, actor: actor, event: event) }
}
