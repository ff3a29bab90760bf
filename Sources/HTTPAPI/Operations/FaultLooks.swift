/// Reports the changes of the conditions that need an operator. A model that the start builds from the first event is expected to be
/// behind, unless the build makes no progress for ``stallSeconds``.
public struct FaultLooks: Sendable {
    /// A condition that has appeared or gone.
    public struct News: Equatable, Sendable {
        public let fault: ServiceFault
        public let seconds: Int64?
        /// The condition will end without an operator.
        public var isExpected = false
    }

    private struct Open {
        let since: ContinuousClock.Instant
        /// If the model's build then stalls, the condition is reported once more.
        var isExpected: Bool
        var position: UInt64
        var moved: ContinuousClock.Instant
    }

    /// Seconds after the first look in which a model first seen behind counts as being built by this start.
    static let startSeconds: Int64 = 30
    /// Seconds without progress, longer than a batch takes on a slow disk.
    static let stallSeconds: Int64 = 60

    private var open: [ServiceFault: Open] = [:]
    private var start: ContinuousClock.Instant?

    public init() {}

    /// First the conditions that have gone, then those that have appeared or are no longer expected, each by name.
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
