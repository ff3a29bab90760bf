/// Compares the conditions that need an operator at two consecutive moments.
public struct FaultLooks: Sendable {
    /// A condition that has appeared or gone.
    public struct News: Equatable, Sendable {
        public let fault: ServiceFault
        /// The seconds for which the condition lasted; nil if it has just appeared.
        public let seconds: Int64?
    }

    private var open: [ServiceFault: ContinuousClock.Instant] = [:]

    public init() {}

    /// Records the present conditions.
    ///
    /// - Returns: first the conditions that have gone, then those that have appeared, each in the order of their names.
    public mutating func look(at faults: [ServiceFault], now: ContinuousClock.Instant) -> [News] {
        let present = Set(faults)
        let gone = open.filter { !present.contains($0.key) }
        let new = present.filter { open[$0] == nil }
        for fault in gone.keys { open[fault] = nil }
        for fault in new { open[fault] = now }
        let ended = gone.map { News(fault: $0.key, seconds: ($0.value.duration(to: now)).components.seconds) }
        return Self.ordered(ended) + Self.ordered(new.map { News(fault: $0, seconds: nil) })
    }

    private static func ordered(_ news: [News]) -> [News] {
        news.sorted { ($0.fault.code, $0.fault.subject ?? "") < ($1.fault.code, $1.fault.subject ?? "") }
    }
}
