import EventLog
import Foundation
import Testing

@Suite(.timeLimit(.minutes(15))) struct ThreadSemaphoreTests {
    /// Runs a closure on a separate thread, because waiting blocks.
    private func onThread<Result: Sendable>(_ body: @escaping @Sendable () -> Result) async -> Result {
        await withCheckedContinuation { continuation in
            Thread { continuation.resume(returning: body()) }.start()
        }
    }

    @Test("Each signal ends one wait")
    func eachSignalLetsOneGoOn() async {
        let semaphore = ThreadSemaphore()
        semaphore.signal()
        semaphore.signal()
        let waited = await onThread { (0..<3).map { _ in semaphore.wait(seconds: 0.01) } }
        #expect(waited == [true, true, false])
    }

    @Test("A wait with a past deadline does not block")
    func aTimeThatIsOverDoesNotBlock() async {
        let semaphore = ThreadSemaphore()
        let waited = await onThread { [0, -1, -.infinity, 0.001].map { semaphore.wait(seconds: $0) } }
        #expect(waited == [false, false, false, false])
        semaphore.signal()
        #expect(await onThread { semaphore.wait(seconds: 0) })
    }

    @Test("A waiting thread is resumed by each signal")
    func whoWaitsIsWoken() async {
        let (there, back) = (ThreadSemaphore(), ThreadSemaphore())
        async let answers = onThread {
            (0..<100).map { _ in
                defer { back.signal() }
                return there.wait(seconds: 3_600)
            }
        }
        let heard = await onThread {
            (0..<100).map { _ in
                there.signal()
                // The timeout is long, but the wait ends at once when the signal comes.
                return back.wait(seconds: 3_600)
            }
        }
        #expect(heard == Array(repeating: true, count: 100))
        #expect(await answers.count == 100)
    }
}
