internal import Dispatch
internal import EventLog
internal import Foundation
internal import Synchronization

/// A few threads that do one kind of work, and the wait for all of them.
struct Workers {
    /// Bytes of a thread's stack: decoding goes a few dozen calls deep.
    private static let stackBytes = 4 << 20

    /// The work of a thread. It is released before the thread counts as ended, with everything that it holds, such as an open log.
    private final class Work: Sendable {
        private let body: Mutex<(@Sendable (Int) -> Void)?>

        init(_ body: @escaping @Sendable (Int) -> Void) { self.body = Mutex(body) }

        func run(_ number: Int) {
            let body = body.withLock { $0.take() }
            body?(number)
        }
    }

    private let count: Int
    private let ended = DispatchSemaphore(value: 0)

    /// Starts so many threads; each runs `body` once, with its number from 0. Every start needs its ``wait()``.
    init(_ count: Int, named name: String, _ body: @escaping @Sendable (Int) -> Void) {
        self.count = count
        for number in 0..<count {
            let work = Work(body)
            let thread = Thread { [ended] in
                work.run(number)
                ended.signal()
            }
            thread.stackSize = Self.stackBytes
            thread.name = "\(name)-\(number)"
            thread.start()
        }
    }

    /// Returns when all have ended.
    func wait() {
        for _ in 0..<count { ended.wait() }
    }
}

/// Pieces of work that threads share: which is next, and what came of each.
final class WorkQueue<Outcome: Sendable>: Sendable {
    private struct State {
        var next = 0
        var outcomes: [Outcome?]
    }

    private let state: Mutex<State>

    private init(_ count: Int) { state = Mutex(State(outcomes: Array(repeating: nil, count: count))) }

    /// Distributes pieces, by number from 0, to the next free thread, and returns when all are done.
    ///
    /// - Returns: the result of each piece, in their order.
    static func outcomes(
        of count: Int, on threads: Int, named name: String, _ work: @escaping @Sendable (Int) -> Outcome
    ) -> [Outcome] {
        let queue = WorkQueue(count)
        let workers = Workers(min(threads, count), named: name) { _ in
            while let piece = queue.next() { queue.put(work(piece), at: piece) }
        }
        workers.wait()
        return queue.state.withLock { $0.outcomes.compactMap { $0 } }
    }

    /// The next piece; nil when all are taken.
    private func next() -> Int? {
        state.withLock { state in
            guard state.next < state.outcomes.count else { return nil }
            defer { state.next += 1 }
            return state.next
        }
    }

    private func put(_ outcome: Outcome, at piece: Int) {
        state.withLock { $0.outcomes[piece] = outcome }
    }
}

/// Hands runs of positions to threads, and takes what comes of them in the order of positions.
///
/// Whoever delivers the run that is next takes it, and those behind it that are there already; so no thread waits for another
/// unless it is far ahead.
final class ChunkQueue: Sendable {
    private struct State {
        var next: UInt64 = 1
        /// Delivered, and not yet taken.
        var delivered: [UInt64: CheckedChunk] = [:]
        var taken: UInt64 = 0
        var isTaking = false
    }

    private let head: UInt64
    private let state = Mutex(State())
    /// Runs that may be in memory at once.
    private let room: DispatchSemaphore
    private let history: Mutex<HistoryCheck>
    private let progress: @Sendable (UInt64) -> Void

    init(head: UInt64, jobs: Int, history: HistoryCheck, progress: @escaping @Sendable (UInt64) -> Void) {
        (self.head, self.progress) = (head, progress)
        room = DispatchSemaphore(value: jobs * 4)
        self.history = Mutex(history)
    }

    /// The next run to look at; nil when there is none. Waits while too many are not taken yet.
    func next() -> ClosedRange<UInt64>? {
        room.wait()
        let range = state.withLock { state -> ClosedRange<UInt64>? in
            guard state.next <= head else { return nil }
            let first = state.next
            state.next += ChunkCheck.events
            return first...min(head, first + ChunkCheck.events - 1)
        }
        if range == nil { room.signal() }
        return range
    }

    /// Brings what came of one run.
    func deliver(_ chunk: CheckedChunk) {
        let isTaker = state.withLock { state in
            state.delivered[chunk.first] = chunk
            defer { state.isTaking = true }
            return !state.isTaking
        }
        guard isTaker else { return }
        while let chunk = nextToTake() {
            history.withLock { $0.take(chunk) }
            room.signal()
            progress(chunk.first + UInt64(chunk.events.count) - 1)
        }
    }

    private func nextToTake() -> CheckedChunk? {
        state.withLock { state in
            let chunk = state.delivered.removeValue(forKey: state.taken + 1)
            if chunk == nil { state.isTaking = false } else { state.taken += ChunkCheck.events }
            return chunk
        }
    }

    /// The result for the whole history, once all threads have ended.
    func finished<Result>(_ body: (HistoryCheck) -> Result) -> Result {
        history.withLock { history in
            history.end(at: Position(head))
            return body(history)
        }
    }
}
