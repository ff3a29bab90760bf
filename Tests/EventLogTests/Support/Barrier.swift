import Synchronization

/// Holds tasks until a given number has arrived, then releases all of them at once. It can be reused for further rounds. A task that is
/// cancelled, by its test's time limit or by another's failure, releases all with an error.
final class Barrier: Sendable {
    private let count: Int
    private let waiting = Mutex<[CheckedContinuation<Void, any Error>]>([])

    init(_ count: Int) { self.count = count }

    func arrive() async throws {
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let woken = waiting.withLock { waiting -> [CheckedContinuation<Void, any Error>] in
                    waiting.append(continuation)
                    if waiting.count < count, !Task.isCancelled { return [] }
                    defer { waiting = [] }
                    return waiting
                }
                for task in woken { task.resume() }
            }
            try Task.checkCancellation()
        } onCancel: {
            let woken = waiting.withLock { waiting in
                defer { waiting = [] }
                return waiting
            }
            for task in woken { task.resume(throwing: CancellationError()) }
        }
    }
}
