/// A place in the order of a run's entries: spread, tag, type, first position.
struct PostingKey: Sendable {
    /// The tag's ``Tag/spread``.
    let spread: UInt64
    let tag: Tag
    let type: EventType
    /// Counted from the run's first position.
    let position: UInt64

    /// Whether an entry that begins like this stands before the place.
    @inline(__always)
    func follows(_ tag: Tag, _ type: EventType, _ first: @autoclosure () -> UInt64) -> Bool {
        if tag != self.tag {
            let spread = tag.spread
            return spread == self.spread ? tag < self.tag : spread < self.spread
        }
        return type == self.type ? first() < position : type < self.type
    }
}
