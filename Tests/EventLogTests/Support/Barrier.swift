import Synchronization

/// Holds tasks until a given number has arrived, then releases all of them at once. It can be reused for further rounds.
final class Barrier: Sendable {
    private let count: Int
    private let waiting = Mutex<[CheckedContinuation<Void, Never>]>([])

    init(_ count: Int) { self.count = count }

    func arrive() async {
        await withCheckedContinuation { continuation in
            let woken = waiting.withLock { waiting -> [CheckedContinuation<Void, Never>] in
                waiting.append(continuation)
                if waiting.count < count { return [] }
                defer { waiting = [] }
                return waiting
            }
            for task in woken { task.resume() }
        }
    }
}
