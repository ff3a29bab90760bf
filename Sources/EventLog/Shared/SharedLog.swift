/// A log outside of this machine that orders the entries of several nodes: the newest ``Head``, and the entries that led to it.
///
/// It holds its data on a majority of disks, and its operations are linearizable. One compare of the head's bytes orders the entries, and
/// stops a writer that another one has replaced.
///
/// Every call may block its thread. Any thread may call. A call that gets no answer MUST throw ``EventLogError`` `.unreachable`. Its
/// request may have been carried out, and may be at any later time, also twice. Other errors are final.
package protocol SharedLog: EntrySource {
    /// The newest head; nil if there is none yet.
    ///
    /// MUST show every append and claim that returned before the call.
    func head() throws(EventLogError) -> Head?

    /// Stores an entry together with the head that it leads to, `old.advanced(by: entry)`, if the head's bytes are those of `old`.
    ///
    /// The compare and both writes MUST be one atomic step. They MUST be durable when it returns.
    func append(_ entry: Entry, replacing old: Head) throws(EventLogError) -> SharedLogAnswer

    /// Stores a head if the present one has the bytes of `old`, or if `old` is nil and there is none.
    ///
    /// One atomic step, durable when it returns. May also require that no other writer seems alive.
    func claim(replacing old: Head?, as new: Head) throws(EventLogError) -> SharedLogAnswer

    /// Removes the entries that end at a position or before. May leave some of them.
    func trim(through position: Position) throws(EventLogError)
}

/// The outcome of a compare with the head of a ``SharedLog``.
package enum SharedLogAnswer: Hashable, Sendable {
    /// The new head is on a majority of disks.
    case durable
    /// Nothing was stored, because the head was this one.
    case superseded(Head?)
}
