internal import EventLog
internal import Synchronization

/// Findings as they come in, from any thread: the first ones are kept, the others only counted, for one damaged page can be the
/// cause of thousands.
public final class FindingList: Sendable {
    /// Findings kept, enough to see what has happened.
    public static let keptMax = 100

    private struct State {
        var kept: [Finding] = []
        var count = 0
    }

    private let state = Mutex(State())

    /// A list without findings.
    public init() {}

    /// Adds one.
    public func add(_ finding: Finding) {
        state.withLock { state in
            state.count += 1
            if state.kept.count < Self.keptMax { state.kept.append(finding) }
        }
    }

    /// Those that were kept, in the order of pages and positions as far as they have any.
    public var kept: [Finding] {
        state.withLock(\.kept).sorted { ($0.position?.rawValue ?? 0, $0.page ?? 0) < ($1.position?.rawValue ?? 0, $1.page ?? 0) }
    }

    /// How many there were in all.
    public var count: Int { state.withLock(\.count) }
}
