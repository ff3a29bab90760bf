internal import Foundation
internal import Glibc

/// Regular short pauses of a thread that computes for long.
///
/// Linux moves waiting threads only to a processor that has nothing to run, and one with a computing thread of low priority never has. See
/// `Tools/Benchmarks/FIGURES.md`.
///
/// A signal's handler sleeps, so that C code pauses too. The timer counts processor time: by the clock, a thread on a busy machine would do
/// nothing but pause.
package enum ShortPauses {
    /// Nanoseconds of processor time until the next pause. The kernel looks every 4 ms, so a thread computes for 2 to 4 ms and loses a
    /// fifth to a third of its time.
    private static let workNanoseconds = 2_000_000
    /// Otherwise, the kernel sends it only for `ITIMER_VIRTUAL`, which the program does not use.
    private static let signal = SIGVTALRM
    /// `SIGEV_THREAD_ID` of `<bits/siginfo-consts.h>`, which the C library hides from Swift.
    private static let toThread: Int32 = 4

    /// Does work on the calling thread, with pauses, or without them if the system refuses a timer.
    ///
    /// A pause may come while the work holds a lock. So use it only for work that takes no lock of requests, except the memory allocator's.
    package static func during<Value, Failure: Error>(_ work: () throws(Failure) -> Value) throws(Failure) -> Value {
        // The system's first timer has the number 0, which is imported as nil.
        var timer = unsafe Optional<timer_t>.none
        guard isHandled, let thread = currentThread, unsafe create(&timer, for: thread) else { return try work() }
        // Threads of Dispatch block most signals, and so do the threads that they start.
        var (signals, before) = (sigset_t(), sigset_t())
        unsafe sigemptyset(&signals)
        unsafe sigaddset(&signals, signal)
        // SAFETY: these calls read and write only the local variables whose addresses they get.
        unsafe pthread_sigmask(SIG_UNBLOCK, &signals, &before)
        defer {
            // A signal that was sent just before the timer's end causes one more pause, which is harmless.
            _ = unsafe timer_delete(timer)
            unsafe pthread_sigmask(SIG_SETMASK, &before, nil)
        }
        var time = itimerspec()
        time.it_value.tv_nsec = workNanoseconds
        time.it_interval.tv_nsec = workNanoseconds
        // SAFETY: the call reads only the local variable whose address it gets.
        _ = unsafe timer_settime(timer, 0, &time, nil)
        return try work()
    }

    private static func create(_ timer: inout timer_t?, for thread: pid_t) -> Bool {
        var event = unsafe sigevent()
        unsafe event.sigev_signo = signal
        unsafe event.sigev_notify = toThread
        unsafe event._sigev_un._tid = thread
        // SAFETY: the call reads and writes only the variables whose addresses it gets.
        return unsafe timer_create(CLOCK_THREAD_CPUTIME_ID, &event, &timer) == 0
    }

    private static let isHandled: Bool = {
        var action = sigaction()
        unsafe action.__sigaction_handler.sa_handler = { _ in
            // The interrupted code may be about to read the error number of its last call.
            let number = errno
            var pause = timespec(tv_sec: 0, tv_nsec: 1_000_000)
            // SAFETY: the call reads only the local variable whose address it gets.
            _ = unsafe nanosleep(&pause, nil)
            errno = number
        }
        action.sa_flags = SA_RESTART
        // SAFETY: the call reads only the local variable whose address it gets. The handler calls nothing that a handler may not call.
        return unsafe sigaction(signal, &action, nil) == 0
    }()

    private static var currentThread: pid_t? {
        let path = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/thread-self")
        return path?.split(separator: "/").last.flatMap { pid_t($0) }
    }
}
