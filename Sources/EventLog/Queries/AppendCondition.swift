/// What must not have happened for an append to be valid: the whole of concurrency control, in the words of the DCB specification.
///
/// A caller reads what its decision depends on, remembers the head that it has read up to, and appends under the condition that
/// nothing matching the same query came after.
public struct AppendCondition: Hashable, Sendable {
    /// The append fails when an event matches this.
    public var failIfEventsMatch: Query
    /// Events up to here are left out of account; ``Position/start`` leaves out none.
    public var after: Position

    /// A condition; it is checked when used, like any query.
    public init(failIfEventsMatch: Query, after: Position = .start) {
        self.failIfEventsMatch = failIfEventsMatch
        self.after = after
    }
}
