internal import Dispatch
internal import Foundation

/// A few threads that do one kind of work, and the wait for all of them.
enum Workers {
    /// Bytes of a thread's stack: decoding goes a few dozen calls deep.
    private static let stackBytes = 4 << 20

    /// Runs `body` once on each of so many threads, with its number from 0, and returns when all have ended.
    static func run(_ count: Int, _ body: @escaping @Sendable (Int) -> Void) {
        let ended = DispatchSemaphore(value: 0)
        for number in 0..<count {
            let thread = Thread {
                body(number)
                ended.signal()
            }
            thread.stackSize = stackBytes
            thread.name = "verify-\(number)"
            thread.start()
        }
        for _ in 0..<count { ended.wait() }
    }
}
