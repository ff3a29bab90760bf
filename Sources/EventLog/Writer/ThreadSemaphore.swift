internal import Glibc

/// A counting semaphore for plain threads, with timeouts by a monotonic clock.
///
/// On Linux, Dispatch's semaphores use the wall clock, and wait an hour longer if it is set back by an hour.
@safe package final class ThreadSemaphore: Sendable {
    // SAFETY: init allocates mutex and condition, and only deinit frees them; `count` is accessed only under the mutex.
    private nonisolated(unsafe) let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private nonisolated(unsafe) let condition = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
    /// Signals that no wait has consumed.
    private nonisolated(unsafe) var count = 0

    private static let nanosecondsPerSecond = 1_000_000_000
    private static let secondsMax = 3_155_760_000.0

    package init() {
        var attributes = pthread_condattr_t()
        unsafe mutex.initialize(to: pthread_mutex_t())
        unsafe condition.initialize(to: pthread_cond_t())
        unsafe Self.require(pthread_mutex_init(mutex, nil))
        unsafe Self.require(pthread_condattr_init(&attributes))
        unsafe Self.require(pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC))
        unsafe Self.require(pthread_cond_init(condition, &attributes))
        unsafe Self.require(pthread_condattr_destroy(&attributes))
    }

    deinit {
        unsafe pthread_cond_destroy(condition)
        unsafe pthread_mutex_destroy(mutex)
        unsafe condition.deallocate()
        unsafe mutex.deallocate()
    }

    /// Wakes one waiting thread or, if none waits, the next that does.
    package func signal() {
        unsafe pthread_mutex_lock(mutex)
        unsafe count += 1
        // Under the lock, because the thread that wakes up may release the semaphore at once.
        unsafe pthread_cond_signal(condition)
        unsafe pthread_mutex_unlock(mutex)
    }

    /// Blocks the thread until there is a signal, and consumes it.
    @available(*, noasync)
    package func wait() {
        unsafe pthread_mutex_lock(mutex)
        while unsafe count == 0 { unsafe pthread_cond_wait(condition, mutex) }
        unsafe count -= 1
        unsafe pthread_mutex_unlock(mutex)
    }

    /// Blocks until there is a signal or the time has passed; returns whether there was one.
    @available(*, noasync)
    package func wait(seconds: Double) -> Bool {
        var deadline = Self.moment(in: seconds)
        unsafe pthread_mutex_lock(mutex)
        var isLate = false
        while unsafe count == 0, !isLate { isLate = unsafe pthread_cond_timedwait(condition, mutex, &deadline) == ETIMEDOUT }
        // A signal that came just as the time passed is also consumed.
        let hasSignal = unsafe count > 0
        if hasSignal { unsafe count -= 1 }
        unsafe pthread_mutex_unlock(mutex)
        return hasSignal
    }

    private static func moment(in seconds: Double) -> timespec {
        var now = timespec()
        unsafe clock_gettime(CLOCK_MONOTONIC, &now)
        // A century, so that the sum does not overflow.
        let nanoseconds = now.tv_nsec + Int(min(max(0, seconds), secondsMax) * Double(nanosecondsPerSecond))
        return timespec(tv_sec: now.tv_sec + nanoseconds / nanosecondsPerSecond, tv_nsec: nanoseconds % nanosecondsPerSecond)
    }

    /// A pthread call fails only if memory runs out.
    private static func require(_ status: Int32) { precondition(status == 0, "no semaphore: error \(status)") }
}
