public import CommandService
public import EventLog
public import Loyalty
import LoyaltyCodec
import Projections
import ReadModels
import Synchronization

extension GreenTea {
    /// Stores a message to the operator, sealed under the caller's own key.
    public func giveFeedback(_ text: String, by caller: Caller) async throws(ServiceError) -> Acceptance {
        let sealed = try seal(text, as: .feedbackText, of: caller.account)
        return try await submit(.giveFeedback(GiveFeedback(text: sealed)), by: caller)
    }

    /// Messages to the operator, newest first and still sealed; for operators only. The first call reads the whole log.
    public func feedback(before: Position? = nil, limit: Int) async throws(ServiceError) -> [Fact] {
        let (log, given) = (log, feedbackGiven)
        do {
            return try await blocking {
                try given.newest(in: log, before: before, limit: limit).compactMap { position in
                    try log.event(at: position).map { try LoyaltyCodec.decode($0) }
                }
            }
        } catch {
            throw ServiceError(storage: error)
        }
    }
}

/// The positions of events of one rare type without a tag, kept in memory. Thread-safe; a call blocks while it reads new events.
final class PositionList: Sendable {
    private struct State {
        var through = Position.start
        var positions: [UInt64] = []
    }

    private let state = Mutex(State())
    private let wanted: TypeFilter

    init(of type: EventType) { wanted = TypeFilter([type]) }

    /// Descending, and lower than `before`.
    @available(*, noasync)
    func newest(in log: EventLog, before: Position?, limit: Int) throws -> [Position] {
        try state.withLock { state in
            try catchUp(&state, with: log)
            let end = before.map { bound in Self.count(of: state.positions, below: bound.rawValue) } ?? state.positions.count
            return state.positions[max(0, end - limit)..<end].reversed().map { Position($0) }
        }
    }

    private func catchUp(_ state: inout State, with log: EventLog) throws {
        let head = log.head
        guard state.through < head else { return }
        var found: [UInt64] = []
        try log.scan(after: state.through, through: head) { position, record in
            if wanted.contains(record.type) { found.append(position.rawValue) }
            return true
        }
        // Added only after everything was read, so that a failed read can be repeated.
        state.positions += found
        state.through = head
    }

    /// `positions` MUST ascend.
    private static func count(of positions: [UInt64], below bound: UInt64) -> Int {
        var (low, high) = (0, positions.count)
        while low < high {
            let middle = (low + high) / 2
            if positions[middle] < bound { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
