package import Dispatch
internal import Foundation
internal import Glibc
internal import Synchronization

/// A thread for whose end others wait, and which keeps nothing alive after that.
///
/// Foundation's `Thread` releases its closure after it has returned. If that signalled its end, the ended thread could still hold a log
/// that a waiting thread then cannot reopen. Foundation also does not report a thread that the system refused.
package enum AwaitedThread {
    /// The service's unit restarts a process that gets no thread.
    private static let exitCode: Int32 = 3

    /// Starts a thread that calls `body` once. If the system refuses the thread, the process ends with a message, because others would wait
    /// for the work for ever.
    ///
    /// - Parameters:
    ///   - group: entered before the start, and left after `body` has returned and its captures are released.
    ///   - stackBytes: nil for the system's default.
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

    /// Starts a thread for work that can be refused. If false, `body` is not called, and the group is left.
    package static func startIfPossible(
        _ name: String, in group: DispatchGroup, stackBytes: Int? = nil, _ body: @escaping @Sendable () -> Void
    ) -> Bool {
        guard create(Work(name, in: group, body), stackBytes: stackBytes) != 0 else { return true }
        group.leave()
        return false
    }

    /// Returns 0, or the error number if there is no thread; the group is not left then.
    private static func create(_ work: Work, stackBytes: Int?) -> Int32 {
        work.group.enter()
        var thread = pthread_t()
        // SAFETY: the attributes are freed here, after the call. The thread takes over the reference to `work`; without one, it is released
        // here.
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

    private final class Work: Sendable {
        let group: DispatchGroup
        private let name: String
        private let body: Mutex<(@Sendable () -> Void)?>

        init(_ name: String, in group: DispatchGroup, _ body: @escaping @Sendable () -> Void) {
            (self.name, self.group) = (name, group)
            self.body = Mutex(body)
        }

        func begin() {
            // Debuggers do not show a name that was set before the start.
            Thread.current.name = name
            run()
            group.leave()
        }

        /// Releases the closure at its return. Never inlined, because an optimizer may move a release to the end of the enclosing function.
        @inline(never)
        private func run() {
            let body = body.withLock { $0.take() }
            body?()
        }
    }
}
