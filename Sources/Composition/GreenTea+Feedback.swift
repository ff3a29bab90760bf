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

    /// Messages to the operator, newest first, for operators only. The texts stay sealed.
    ///
    /// The first call reads the whole log. Each later call reads only the events since the call before. The reading runs on a thread of
    /// Dispatch.
    ///
    /// - Parameters:
    ///   - before: the position before which the list begins; nil begins with the newest.
    ///   - limit: the maximum number of messages.
    /// - Throws: ``ServiceError/failed(_:)`` when the log cannot be read.
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

/// The positions of events of one rare type, read from the log once and kept in memory: eight bytes each.
///
/// It is for lists that are rarely requested and for which there is no tag, such as the list of feedback. May be used concurrently. A call
/// blocks while it reads the events since the last call.
final class PositionList: Sendable {
    private struct State {
        /// The position up to which events were read.
        var through = Position.start
        /// The positions, in ascending order.
        var positions: [UInt64] = []
    }

    private let state = Mutex(State())
    private let wanted: TypeFilter

    init(of type: EventType) {
        wanted = TypeFilter([type])
    }

    /// The newest positions in the list that are lower than `before`, descending.
    ///
    /// - Parameters:
    ///   - before: the position before which the list begins; nil begins with the newest.
    ///   - limit: the maximum number of positions.
    /// - Throws: errors of reading the log.
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
        // The positions are added only after everything was read, so that a failed read can be repeated.
        state.positions += found
        state.through = head
    }

    /// The number of elements of `positions` below a bound. The elements MUST be in ascending order.
    private static func count(of positions: [UInt64], below bound: UInt64) -> Int {
        var (low, high) = (0, positions.count)
        while low < high {
            let middle = (low + high) / 2
            if positions[middle] < bound { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
