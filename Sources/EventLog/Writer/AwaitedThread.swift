package import Dispatch
internal import Foundation
internal import Glibc
internal import Synchronization

/// A thread for whose end others wait, and which keeps nothing alive after that.
///
/// A `Thread` of Foundation releases its closure some time after the closure has returned. If the closure itself signalled its end, the
/// ended thread could still hold the last reference to an open log. A waiting thread that then opened the same folder again would get an
/// error, because the folder would still be open in this process. And Foundation does not report a thread that the system has refused.
package enum AwaitedThread {
    /// The exit code of a process that gets no thread for its work: the service's unit starts it again.
    private static let exitCode: Int32 = 3

    /// Starts a thread that calls `body` once. If the system refuses the thread, for example because of a limit, the process ends with a
    /// message, because those who wait for the work would wait for ever.
    ///
    /// - Parameters:
    ///   - name: the thread's name.
    ///   - group: entered before the thread starts, and left after `body` has returned and everything that it captured is released.
    ///   - stackBytes: the size of the thread's stack; nil for the system's default.
    package static func start(_ name: String, in group: DispatchGroup, stackBytes: Int? = nil, _ body: @escaping @Sendable () -> Void) {
        let error = create(Work(name, in: group, body), stackBytes: stackBytes)
        guard error != 0 else { return }
        let text = """
            the system refuses the thread `\(name)` (error \(error)), and nothing goes on without it. \
            Raise the limits on threads and memory (TasksMax= and MemoryMax= of the unit, ulimit -u), and start again.

            """
        try? FileHandle.standardError.write(contentsOf: Data(text.utf8))
        _exit(exitCode)
    }

    /// Starts a thread as ``start(_:in:stackBytes:_:)`` does, for work that can be refused.
    ///
    /// - Returns: false if the system refuses the thread. Then `body` is not called, and the group is left.
    package static func startIfPossible(
        _ name: String, in group: DispatchGroup, stackBytes: Int? = nil, _ body: @escaping @Sendable () -> Void
    ) -> Bool {
        guard create(Work(name, in: group, body), stackBytes: stackBytes) != 0 else { return true }
        group.leave()
        return false
    }

    /// Enters the group of `work`, and creates the thread that runs it.
    ///
    /// - Returns: 0, or the error number if there is no thread. The group is not left then.
    private static func create(_ work: Work, stackBytes: Int?) -> Int32 {
        work.group.enter()
        var thread = pthread_t()
        // SAFETY: the attributes are freed here, after the call that reads them. The thread takes over the reference to `work`; without a
        // thread, it is released here.
        let attributes = UnsafeMutablePointer<pthread_attr_t>.allocate(capacity: 1)
        unsafe pthread_attr_init(attributes)
        defer {
            unsafe pthread_attr_destroy(attributes)
            unsafe attributes.deallocate()
        }
        if let stackBytes { unsafe pthread_attr_setstacksize(attributes, stackBytes) }
        let error = unsafe pthread_create(
            &thread, attributes,
            { context in
                guard let context = unsafe context else { return nil }
                let work = unsafe Unmanaged<Work>.fromOpaque(context).takeRetainedValue()
                work.begin()
                return nil
            }, Unmanaged.passRetained(work).toOpaque())
        if error == 0 { pthread_detach(thread) } else { unsafe Unmanaged.passUnretained(work).release() }
        return error
    }

    /// Holds a closure until it is run.
    private final class Work: Sendable {
        let group: DispatchGroup
        private let name: String
        private let body: Mutex<(@Sendable () -> Void)?>

        init(_ name: String, in group: DispatchGroup, _ body: @escaping @Sendable () -> Void) {
            (self.name, self.group) = (name, group)
            self.body = Mutex(body)
        }

        /// Runs the closure on the calling thread, and then leaves the group.
        func begin() {
            // The thread sets its own name, because debuggers do not show a name that was set before the start.
            Thread.current.name = name
            run()
            group.leave()
        }

        /// Takes the closure out, so that it is released when this function returns. It is never inlined, because an optimizer may move a
        /// release to the end of the enclosing function.
        @inline(never)
        private func run() {
            let body = body.withLock { $0.take() }
            body?()
        }
    }
}
