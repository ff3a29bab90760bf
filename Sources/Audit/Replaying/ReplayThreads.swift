internal import EventLog
internal import Synchronization

/// Folds several lanes at once: the first on the caller's thread, each other on one of its own.
enum ReplayThreads {
    /// Where a lane waits for its thread, and what came of it.
    private final class Seat: Sendable {
        private let state: Mutex<(lane: ReplayLane?, failure: AuditError?)>

        init(_ lane: ReplayLane) { state = Mutex((lane, nil)) }

        /// Folds the lane, moved out meanwhile so that it is changed in place and not copied.
        func fold(_ log: EventLog, until bound: ReplayBound, through: Position, _ progress: (Position) -> Void) {
            guard var lane = take() else { return }
            do {
                try lane.fold(log, until: bound, through: through, progress)
                state.withLock { $0.lane = lane }
            } catch {
                state.withLock { $0.failure = AuditError(any: error) }
            }
        }

        func take() -> ReplayLane? { state.withLock { $0.lane.take() } }

        var failure: AuditError? { state.withLock { $0.failure } }
    }

    /// Folds what follows in every lane.
    ///
    /// - Parameter progress: called now and then with the position of the first lane, on this thread.
    /// - Throws: the failure at the least position.
    static func fold(
        _ lanes: consuming [ReplayLane], of log: EventLog, until bound: ReplayBound, _ progress: (Position) -> Void
    ) throws(AuditError) -> [ReplayLane] {
        let through = bound.through(log.head)
        let seats = lanes.map { Seat($0) }
        lanes = []
        let others = Workers(max(0, seats.count - 1), named: "replay") { [seats] number in
            seats[number + 1].fold(log, until: bound, through: through) { _ in }
        }
        seats.first?.fold(log, until: bound, through: through, progress)
        others.wait()
        let failures = seats.compactMap(\.failure)
        if let first = failures.min(by: { ($0.position ?? .start) < ($1.position ?? .start) }) { throw first }
        return seats.compactMap { $0.take() }
    }
}
