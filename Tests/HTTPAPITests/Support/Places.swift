/// Limits how many services are open concurrently. Each service reserves a lot of address space, and the machine has few cores, so more
/// services would not make the tests faster.
actor Places {
    static let shared = Places(2)

    private var free: Int
    private var waiting: [CheckedContinuation<Void, Never>] = []

    private init(_ count: Int) {
        free = count
    }

    /// Runs `work` as soon as a place is free.
    static func take<Value: Sendable>(_ work: @Sendable () async throws -> Value) async throws -> Value {
        await shared.enter()
        do {
            let value = try await work()
            await shared.leave()
            return value
        } catch {
            await shared.leave()
            throw error
        }
    }

    private func enter() async {
        if free > 0 {
            free -= 1
        } else {
            await withCheckedContinuation { waiting.append($0) }
        }
    }

    private func leave() {
        if waiting.isEmpty {
            free += 1
        } else {
            waiting.removeFirst().resume()
        }
    }
}
