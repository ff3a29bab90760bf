/// The events that must not exist for an append to succeed: optimistic concurrency control, in the terms of the DCB specification.
///
/// A caller keeps the ``ReadResult/head`` of the read that it decides on, and appends if no later event matches the same query. Without
/// `after`, no event at all may match, which with a unique tag makes a repeated append harmless.
public struct AppendCondition: Hashable, Sendable {
    /// The append fails if an event matches this query.
    public var failIfEventsMatch: Query
    /// The last position to ignore; nil for none. ``Position/start``, after reading an empty log, permits a retry after a conflict; with
    /// nil no retry can succeed.
    public var after: Position?

    /// Creates a condition, whose query is checked when it is used.
    public init(failIfEventsMatch: Query, after: Position? = nil) { (self.failIfEventsMatch, self.after) = (failIfEventsMatch, after) }
}

/// The events that violate an ``AppendCondition``, and whether a retry can succeed.
public struct AppendConflict: Hashable, Sendable, CustomStringConvertible {
    /// The first matches, oldest first, at most ``LogLimits/conflictPositionsMax``; never empty.
    public let positions: [Position]
    /// The first item, from 0, that the event at the first position matches; nil for ``Query/all``.
    public let item: Int?
    /// Whether a retry with a new read may succeed: only if the condition had an `after`, because events are never removed.
    public let canRetryHelp: Bool

    /// Creates a conflict; public so that a ``BatchDecider`` can report one.
    public init(positions: [Position], item: Int?, canRetryHelp: Bool) {
        (self.positions, self.item, self.canRetryHelp) = (positions, item, canRetryHelp)
    }

    public var description: String {
        let list = positions.map(\.description).joined(separator: ", ")
        let more = positions.count == LogLimits.conflictPositionsMax ? " and perhaps later ones" : ""
        let which = item.map { "the condition's query, the first of them its item \($0)" } ?? "the condition's query for any event"
        return "the events at \(list)\(more) match \(which)"
    }

    /// For the caller.
    var remedy: String {
        canRetryHelp
            ? "Read what has happened since, and decide again."
            : "Do not try again: the condition allows no such event at any position, and what has happened stays."
    }
}
