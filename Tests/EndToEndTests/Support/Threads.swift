import Foundation
import Patience
import Synchronization
import Testing

/// Runs `count` threads concurrently, waits for all, and returns their results in order.
func inParallel<Value: Sendable>(_ count: Int, _ work: @escaping @Sendable (Int) throws -> Value) throws -> [Value] {
    let results = Mutex([Int: Result<Value, any Error>]())
    let group = DispatchGroup()
    for number in 0..<count {
        group.enter()
        Thread.detachNewThread {
            let result = Result { try work(number) }
            results.withLock { $0[number] = result }
            group.leave()
        }
    }
    try group.waitInTime("all threads end")
    return try results.withLock { results in try (0..<count).compactMap { try results[$0]?.get() } }
}
