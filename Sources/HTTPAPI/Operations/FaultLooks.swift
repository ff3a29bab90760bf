/// Compares the present conditions that need an operator with the conditions at the previous look, and reports the differences.
///
/// If the program builds a model from the first event when it starts, the model is behind the log until the build is complete. This
/// condition is reported as expected. It is reported as an error only if the build makes no progress for ``stallSeconds``.
public struct FaultLooks: Sendable {
    /// A condition that has appeared or gone.
    public struct News: Equatable, Sendable {
        public let fault: ServiceFault
        /// The seconds for which the condition lasted; nil if it has not gone.
        public let seconds: Int64?
        /// Whether the condition is part of the program's start and will end without an operator.
        public var isExpected = false
    }

    /// A condition that was reported and has not gone.
    private struct Open {
        let since: ContinuousClock.Instant
        /// Whether the condition was reported as expected. If the build of the model then stalls, the condition is reported once more.
        var isExpected: Bool
        var position: UInt64
        var moved: ContinuousClock.Instant
    }

    /// The number of seconds after the first look in which a model that is first seen behind is taken to be behind because the program has
    /// just started. Later, there is another cause.
    static let startSeconds: Int64 = 30
    /// Seconds without progress after which a build counts as stalled. One batch of a build takes less time, even on a slow disk.
    static let stallSeconds: Int64 = 60

    private var open: [ServiceFault: Open] = [:]
    private var start: ContinuousClock.Instant?

    public init() {}

    /// Records the present conditions.
    ///
    /// - Returns: first the conditions that have gone, then those that have appeared, each in the order of their names. If the
    ///   build behind an expected condition has stalled, the condition is returned once more, and is then no longer expected.
    public mutating func look(at faults: [ServiceFault], now: ContinuousClock.Instant) -> [News] {
        let start = start ?? now
        self.start = start
        let present = Set(faults)
        let ended = open.filter { !present.contains($0.key) }.map {
            News(fault: $0.key, seconds: ($0.value.since.duration(to: now)).components.seconds)
        }
        for news in ended { open[news.fault] = nil }
        var begun: [News] = []
        for fault in present {
            if let before = open[fault] {
                let after = Self.followed(before, fault, now)
                if before.isExpected, !after.isExpected { begun.append(News(fault: fault, seconds: nil)) }
                open[fault] = after
            } else {
                let isExpected = fault.buildPosition != nil && start.duration(to: now) <= .seconds(Self.startSeconds)
                open[fault] = Open(since: now, isExpected: isExpected, position: fault.buildPosition ?? 0, moved: now)
                begun.append(News(fault: fault, seconds: nil, isExpected: isExpected))
            }
        }
        return Self.ordered(ended) + Self.ordered(begun)
    }

    /// Returns an open condition, updated with the result of another look. If the build of its model has stalled, the condition is no
    /// longer expected.
    private static func followed(_ open: Open, _ fault: ServiceFault, _ now: ContinuousClock.Instant) -> Open {
        var open = open
        if let position = fault.buildPosition, position != open.position {
            (open.position, open.moved) = (position, now)
        } else if open.moved.duration(to: now) > .seconds(stallSeconds) {
            open.isExpected = false
        }
        return open
    }

    private static func ordered(_ news: [News]) -> [News] {
        news.sorted { ($0.fault.code, $0.fault.subject ?? "") < ($1.fault.code, $1.fault.subject ?? "") }
    }
}
