package import Dispatch
internal import Foundation
internal import Synchronization

/// A thread for whose end others wait, and which keeps nothing alive after that.
///
/// A `Thread` releases its closure some time after the closure has returned. If the closure itself signalled its end, the ended thread
/// could still hold the last reference to an open log. A waiting thread that then opened the same folder again would get an error, because
/// the folder would still be open in this process.
package enum AwaitedThread {
    /// Starts a thread that calls `body` once.
    ///
    /// - Parameters:
    ///   - name: the thread's name.
    ///   - group: entered before the thread starts, and left after `body` has returned and everything that it captured is released.
    ///   - stackBytes: the size of the thread's stack; nil for the system's default.
    package static func start(_ name: String, in group: DispatchGroup, stackBytes: Int? = nil, _ body: @escaping @Sendable () -> Void) {
        let work = Work(body)
        group.enter()
        let thread = Thread {
            work.run()
            group.leave()
        }
        thread.name = name
        if let stackBytes { thread.stackSize = stackBytes }
        thread.start()
    }

    /// Holds a closure until it is run.
    private final class Work: Sendable {
        private let body: Mutex<(@Sendable () -> Void)?>

        init(_ body: @escaping @Sendable () -> Void) { self.body = Mutex(body) }

        /// Takes the closure out, so that it is released when this function returns. It is never inlined, because an optimizer may move a
        /// release to the end of the enclosing function.
        @inline(never)
        func run() {
            let body = body.withLock { $0.take() }
            body?()
        }
    }
}
