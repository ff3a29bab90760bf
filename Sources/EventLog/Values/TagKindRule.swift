/// How a log treats the tags of one kind.
public struct TagKindRule: Hashable, Sendable {
    /// The name stored in the log, for people and other programs: "card".
    public let name: String
    /// Whether events are found by tags of this kind. A kind that only tells something about an event costs no index entry, and
    /// a query that names it is refused.
    public let isIndexed: Bool

    /// A rule for one kind.
    public init(name: String, isIndexed: Bool = true) {
        self.name = name
        self.isIndexed = isIndexed
    }
}
