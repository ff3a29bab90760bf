public import Loyalty

/// The offsets of a time zone from UTC as a table. It has one entry for each change of the offset: the new offset, and the moment from
/// which it applies.
///
/// The rules of time zones are files of the operating system, which this module does not read. A ``World`` knows only the default zone of
/// shops and zones that were added to it.
public struct ZoneOffsets: Hashable, Sendable {
    /// A change of the zone's offset from UTC.
    public struct Change: Hashable, Sendable {
        public let at: Instant
        /// The number of seconds by which the zone's clocks are ahead of UTC from ``at`` on.
        public let seconds: Int

        public init(at: Instant, seconds: Int) { (self.at, self.seconds) = (at, seconds) }
    }

    private let first: Int
    private let changes: [Change]

    /// - Parameters:
    ///   - seconds: the number of seconds by which the zone's clocks are ahead of UTC before the first change.
    ///   - changes: the changes of the offset, earliest first.
    public init(seconds: Int, changes: [Change] = []) {
        (first, self.changes) = (seconds, changes)
    }

    /// The number of seconds by which the zone's clocks are ahead of UTC at `moment`.
    public func seconds(at moment: Instant) -> Int {
        changes.last { $0.at <= moment }?.seconds ?? first
    }
}
