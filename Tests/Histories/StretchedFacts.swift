public import Loyalty

extension [Fact] {
    /// The same facts, with their times stretched over about this many days.
    public func stretched(over days: Int64) -> [Fact] {
        guard let first = first?.time, let last = last?.time else { return self }
        let factor = Swift.max(1, days * 86_400_000_000 / Swift.max(1, last.microseconds - first.microseconds))
        return map { fact in
            let time = Instant(microseconds: first.microseconds + (fact.time.microseconds - first.microseconds) * factor)
            return Fact(position: fact.position, time: time, actor: fact.actor, event: fact.event)
        }
    }
}
