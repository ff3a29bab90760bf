/// What must not have happened for an append to be valid: the whole of concurrency control, in the words of the DCB specification.
///
/// A caller reads what its decision depends on, remembers the ``ReadResult/head`` of that read, and appends under the condition that
/// nothing matching the same query came after. Without an `after` the condition says that something has never happened at all: "no
/// event with this request's tag" makes a repeated append harmless.
public struct AppendCondition: Hashable, Sendable {
    /// The append fails when an event matches this.
    public var failIfEventsMatch: Query
    /// Events through here are left out of account; nil leaves out none. It differs from ``Position/start``, which somebody says who has
    /// read an empty log: that one may read again and decide anew, while what was never to happen has happened for good.
    public var after: Position?

    /// A condition; it is checked when used, like any query.
    public init(failIfEventsMatch: Query, after: Position? = nil) {
        self.failIfEventsMatch = failIfEventsMatch
        self.after = after
    }
}
