/// The clock changes of a time zone as a table: the offset from UTC, and the moment from which it applies.
///
/// The rules of time zones are files of the machine, which this module does not read. A ``World`` knows only zones that were added to it.
public struct ZoneOffsets: Hashable, Sendable {
    /// A change of the offset.
    public struct Change: Hashable, Sendable {
        public let at: Instant
        /// The number of seconds by which the clocks are ahead of UTC from then on.
        public let seconds: Int

        public init(at: Instant, seconds: Int) { (self.at, self.seconds) = (at, seconds) }
    }

    private let first: Int
    private let changes: [Change]

    /// - Parameters:
    ///   - seconds: the number of seconds by which the clocks are ahead of UTC before the first change.
    ///   - changes: in the order of time.
    public init(seconds: Int, changes: [Change] = []) {
        (first, self.changes) = (seconds, changes)
    }

    /// The number of seconds by which the clocks are ahead of UTC at a moment.
    public func seconds(at moment: Instant) -> Int {
        changes.last { $0.at <= moment }?.seconds ?? first
    }
}
