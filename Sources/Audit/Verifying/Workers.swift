internal import Dispatch
internal import Foundation
internal import Synchronization

/// A few threads that do one kind of work, and the wait for all of them.
struct Workers {
    /// Bytes of a thread's stack: decoding goes a few dozen calls deep.
    private static let stackBytes = 4 << 20

    /// What a thread does. It is let go of before the thread counts as ended, with all that it holds, such as an open log.
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
