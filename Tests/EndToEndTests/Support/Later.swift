import Foundation
import Patience
import Synchronization
import Testing

/// Blocking work on a separate thread, with a result to wait for later.
final class Later<Value: Sendable>: Sendable {
    private let result = Mutex<Result<Value, any Error>?>(nil)
    private let group = DispatchGroup()

    init(_ work: @escaping @Sendable () throws -> Value) {
        group.enter()
        Thread.detachNewThread { [self] in
            let value = Result { try work() }
            result.withLock { $0 = value }
            group.leave()
        }
    }

    /// True if the work has ended.
    var isOver: Bool { result.withLock { $0 != nil } }

    /// Waits for the work and returns its result.
    ///
    /// - Throws: the work's error.
    func value() throws -> Value {
        try group.waitInTime("the work ends")
        guard let value = try result.withLock({ try $0?.get() }) else { throw TestFailure("no result") }
        return value
    }
}
