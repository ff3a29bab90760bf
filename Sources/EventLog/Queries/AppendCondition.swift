/// The events that must not exist for an append to succeed: optimistic concurrency control, in the terms of the DCB specification.
///
/// A caller reads the events that its decision depends on, keeps the ``ReadResult/head`` of that read, and appends under the condition that
/// no later event matches the same query. Without `after`, no event at all may match. For example, if the events of each request have a tag
/// that no other request uses, a condition on this tag without `after` makes a repeated append harmless.
public struct AppendCondition: Hashable, Sendable {
    /// The append fails if an event matches this query.
    public var failIfEventsMatch: Query
    /// The last position that the condition ignores; nil to ignore none. Nil differs from ``Position/start``, which a caller passes after
    /// reading an empty log: after a conflict, a caller that passed `start` may read and decide again, but with nil no retry can succeed.
    public var after: Position?

    /// Creates a condition. Its query is checked only when the condition is used.
    public init(failIfEventsMatch: Query, after: Position? = nil) {
        self.failIfEventsMatch = failIfEventsMatch
        self.after = after
    }
}

/// The events that violate an ``AppendCondition``, and whether a retry can succeed.
public struct AppendConflict: Hashable, Sendable, CustomStringConvertible {
    /// The first matching events, oldest first, at most ``LogLimits/conflictPositionsMax``; never empty.
    public let positions: [Position]
    /// The index of the query's first item that the event at the first position matches, counted from 0; nil if the query is ``Query/all``.
    public let item: Int?
    /// Whether a retry with a new read may succeed. That is so if the condition had an `after`. Without an `after`, any match violates the
    /// condition, and a retry finds it again, because events are never removed.
    public let canRetryHelp: Bool

    /// Creates a conflict. It is public so that an application's ``BatchDecider`` can report a conflict in the same way.
    public init(positions: [Position], item: Int?, canRetryHelp: Bool) {
        self.positions = positions
        self.item = item
        self.canRetryHelp = canRetryHelp
    }

    /// The conflict as one sentence without a full stop.
    public var description: String {
        let list = positions.map(\.description).joined(separator: ", ")
        let more = positions.count == LogLimits.conflictPositionsMax ? " and perhaps later ones" : ""
        let which = item.map { "the condition's query, the first of them its item \($0)" } ?? "the condition's query for any event"
        return "the events at \(list)\(more) match \(which)"
    }

    /// The remedy for the conflict, in one or two sentences for the caller.
    var remedy: String {
        canRetryHelp
            ? "Read what has happened since, and decide again."
            : "Do not try again: the condition allows no such event at any position, and what has happened stays."
    }
}
