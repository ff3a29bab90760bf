/// What was the case at a moment: one row for a thing, several for a table.
public struct PastAnswer: Hashable, Sendable {
    /// `card card_01…`, `ratings`
    public let subject: String
    public let moment: Moment
    /// Empty where there was no such thing then.
    public let rows: [[PastField]]
    /// Whether the rows are those of a table, and not one thing.
    public let isTable: Bool

    /// Whether there was such a thing; a table is there even where it is empty.
    public var isFound: Bool { isTable || !rows.isEmpty }
}
