import Foundation
import Patience
import Synchronization
import Testing

/// Plain threads. Joining them throws the first error that one of them has thrown.
final class Threads: Sendable {
    private let group = DispatchGroup()
    private let failure = Mutex<(any Error)?>(nil)

    func start(_ body: @escaping @Sendable () throws -> Void) {
        group.enter()
        Thread.detachNewThread {
            do {
                try body()
            } catch {
                self.failure.withLock { $0 = $0 ?? error }
            }
            self.group.leave()
        }
    }

    func join() throws {
        try group.waitInTime("all threads end")
        if let error = failure.withLock({ $0 }) { throw error }
    }
}
