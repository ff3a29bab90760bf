import Dispatch
import Patience
import Synchronization
import Testing

/// A request to the shared log that waits.
final class Held: Sendable {
    private let arrived = Atomic(false)
    private let gate = DispatchSemaphore(value: 0)

    var hasArrived: Bool { arrived.load(ordering: .acquiring) }

    func wait() throws {
        arrived.store(true, ordering: .releasing)
        try gate.waitInTime("the test lets the request go on")
    }

    func release() { gate.signal() }
}
