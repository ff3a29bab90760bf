/// The events that must not have happened for an append to be valid: optimistic concurrency control, in the words of the DCB specification.
///
/// A caller reads the events that its decision depends on, remembers the ``ReadResult/head`` of that read, and appends under the condition
/// that no event after it matches the same query. Without an `after`, no event at all may match: "no event with this request's tag" makes a
/// repeated append harmless.
public struct AppendCondition: Hashable, Sendable {
    /// The append fails when an event matches this.
    public var failIfEventsMatch: Query
    /// The last position that the condition does not cover; nil covers all. Nil differs from ``Position/start``, which a caller names that
    /// has read an empty log: that caller may read again and decide again, while an event that must never happen stays forbidden.
    public var after: Position?

    /// A condition; it is checked when used, like any query.
    public init(failIfEventsMatch: Query, after: Position? = nil) {
        self.failIfEventsMatch = failIfEventsMatch
        self.after = after
    }
}

/// Which events broke an ``AppendCondition``, and whether there is any use in trying again.
public struct AppendConflict: Hashable, Sendable, CustomStringConvertible {
    /// The events that match, oldest first: the first ``LogLimits/conflictPositionsMax`` of them; never empty.
    public let positions: [Position]
    /// The first item of the condition's query that the event at the first of the positions matches, counted from 0; nil when the
    /// query is ``Query/all``.
    public let item: Int?
    /// Whether a retry with a new read may succeed, which holds if the condition had an `after`. Without one any match at all breaks it,
    /// and events never go away.
    public let canRetryHelp: Bool

    /// A conflict. Public, so that a ``BatchDecider`` of the application can say so in the same words.
    public init(positions: [Position], item: Int?, canRetryHelp: Bool) {
        self.positions = positions
        self.item = item
        self.canRetryHelp = canRetryHelp
    }

    /// The conflict, in one sentence without its end.
    public var description: String {
        let list = positions.map(\.description).joined(separator: ", ")
        let more = positions.count == LogLimits.conflictPositionsMax ? " and perhaps later ones" : ""
        let which = item.map { "the condition's query, the first of them its item \($0)" } ?? "the condition's query for any event"
        return "the events at \(list)\(more) match \(which)"
    }

    /// The remedy, in one or two sentences.
    var remedy: String {
        canRetryHelp
            ? "Read what has happened since, and decide again."
            : "Do not try again: the condition allows no such event at any position, and what has happened stays."
    }
}
