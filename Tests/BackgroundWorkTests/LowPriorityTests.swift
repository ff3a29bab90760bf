import BackgroundWork
import Foundation
import Patience
import Synchronization
import Testing

@Suite("Priority of background work")
struct LowPriorityTests {
    /// Runs `body` on a new thread, and returns its value when the thread has computed it.
    private static func onThread<Value: Sendable>(_ body: @escaping @Sendable () -> Value) throws -> Value? {
        let ended = DispatchSemaphore(value: 0)
        let value = Mutex<Value?>(nil)
        Thread.detachNewThread {
            let found = body()
            value.withLock { $0 = found }
            ended.signal()
        }
        try ended.waitInTime("the thread ends")
        return value.withLock { $0 }
    }

    @Test("A thread of low priority is nice, and other threads keep their priority")
    func low() throws {
        let before = LowPriority.current
        let niceness = try Self.onThread {
            LowPriority.begin()
            return LowPriority.current
        }
        #expect(niceness == LowPriority.niceness && LowPriority.current == before)
    }

    @Test("A thread of idle priority is nice and has the idle policy, and other threads keep their policy")
    func idle() throws {
        let found = try Self.onThread { (isGranted: LowPriority.beginIdle(), niceness: LowPriority.current, policy: sched_getscheduler(0)) }
        let (isGranted, niceness, policy) = try #require(found)
        #expect(isGranted && niceness == LowPriority.niceness && policy == LowPriority.idlePolicy, "\(policy), \(niceness)")
        #expect(sched_getscheduler(0) != policy)
    }
}
