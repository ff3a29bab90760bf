/// The clocks of a time zone as a table: how far they are ahead of UTC, and since when.
///
/// The rules of zones are data of the machine, which this module does not read. A ``World`` knows the zones that are put in.
public struct ZoneOffsets: Hashable, Sendable {
    /// A change of the clocks.
    public struct Change: Hashable, Sendable {
        public let at: Instant
        /// How far they are ahead of UTC from then on.
        public let seconds: Int

        public init(at: Instant, seconds: Int) { (self.at, self.seconds) = (at, seconds) }
    }

    private let first: Int
    private let changes: [Change]

    /// - Parameters:
    ///   - seconds: how far the clocks are ahead of UTC before the first change.
    ///   - changes: in the order of time.
    public init(seconds: Int, changes: [Change] = []) {
        (first, self.changes) = (seconds, changes)
    }

    /// How many seconds the clocks are ahead of UTC at a moment.
    public func seconds(at moment: Instant) -> Int {
        changes.last { $0.at <= moment }?.seconds ?? first
    }
}
