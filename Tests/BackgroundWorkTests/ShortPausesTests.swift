import BackgroundWork
import Foundation
import Patience
import Testing

/// Pauses are counted as voluntary context switches, which a thread that only computes does not have.
@Suite("Short pauses of background work", .timeLimit(.minutes(15)))
struct ShortPausesTests {
    private struct Broken: Error {}

    /// The processor time in nanoseconds and the voluntary context switches of the calling thread.
    private static var usage: (nanoseconds: Int, switches: Int) {
        var (usage, time) = (rusage(), timespec())
        // 1 is `RUSAGE_THREAD` of `<bits/resource.h>`, which the C library hides.
        unsafe getrusage(1, &usage)
        unsafe clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return (time.tv_sec * 1_000_000_000 + time.tv_nsec, usage.ru_nvcsw)
    }

    /// Computes until the calling thread has used this much more processor time, and returns the number of pauses in that time.
    private static func pauses(in milliseconds: Int) -> Int {
        let begin = usage
        var now = begin
        while now.nanoseconds - begin.nanoseconds < milliseconds * 1_000_000 { now = usage }
        return now.switches - begin.switches
    }

    @Test("A thread that computes pauses again and again, and no longer when the work is done")
    func pauses() {
        #expect(Self.pauses(in: 40) <= 1)
        // Every 40 ms of processor time have ten ticks of 4 ms, and a pause in each of them. A tick that falls into the time of another
        // thread makes no pause, so there are fewer on a busy machine.
        #expect(ShortPauses.during { Self.pauses(in: 200) } >= 5)
        // A last signal may have been sent while the timer was removed.
        #expect(Self.pauses(in: 40) <= 2)
    }

    @Test("Only the thread that asked for pauses has them")
    func others() throws {
        let ended = DispatchSemaphore(value: 0)
        try ShortPauses.during {
            Thread.detachNewThread {
                #expect(Self.pauses(in: 40) <= 1)
                ended.signal()
            }
            try ended.waitInTime("the thread ends")
        }
    }

    @Test("The value and the error of the work are passed on, and several threads have pauses at once")
    func results() async {
        #expect(ShortPauses.during { 7 } == 7)
        #expect(throws: Broken.self) { try ShortPauses.during { () throws(Broken) in throw Broken() } }
        let counts = await withTaskGroup(of: Int.self) { group in
            for _ in 0..<4 { group.addTask { ShortPauses.during { Self.pauses(in: 80) } } }
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(counts.allSatisfy { $0 >= 2 }, "\(counts)")
    }
}
