internal import Dispatch
internal import EventLog
internal import Foundation
internal import Synchronization

/// A few threads that do one kind of work, and the wait for all of them.
package struct Workers {
    /// Bytes of a thread's stack. Decoding needs a depth of a few dozen calls.
    private static let stackBytes = 4 << 20

    /// The work of a thread. It is released, with everything that it holds, such as an open log, before ``wait()`` regards the thread as
    /// ended.
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

    /// Starts `count` threads. Each runs `body` once, with its number from 0. ``wait()`` MUST be called once afterwards.
    package init(_ count: Int, named name: String, _ body: @escaping @Sendable (Int) -> Void) {
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

    /// Waits until all threads have ended.
    package func wait() {
        for _ in 0..<count { ended.wait() }
    }
}

/// A queue of numbered pieces of work that several threads take, with the outcome of each piece.
final class WorkQueue<Outcome: Sendable>: Sendable {
    private struct State {
        var next = 0
        var outcomes: [Outcome?]
    }

    private let state: Mutex<State>

    private init(_ count: Int) { state = Mutex(State(outcomes: Array(repeating: nil, count: count))) }

    /// Calls `work` once for each number from 0 to `count - 1`. Each free thread takes the next number. Returns when all calls are done.
    ///
    /// - Returns: the results of all calls, in the order of the numbers.
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

    /// The number of the next piece of work; nil when all pieces are taken.
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
