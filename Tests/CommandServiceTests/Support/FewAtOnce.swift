import Testing

/// Limits how many tests have their folders open. Each LMDB environment of a service reserves address space for the largest size of its
/// file, and a process has room for about a hundred environments.
struct FewAtOnce: TestTrait, SuiteTrait, TestScoping {
    let isRecursive = true

    func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @Sendable @concurrent () async throws -> Void
    ) async throws {
        await Slots.shared.take()
        do {
            try await function()
        } catch {
            await Slots.shared.giveBack()
            throw error
        }
        await Slots.shared.giveBack()
    }
}

/// The slots of the tests that may run concurrently; other tests wait in a queue.
private actor Slots {
    static let shared = Slots()

    private var free = 4
    private var line: [CheckedContinuation<Void, Never>] = []

    func take() async {
        if free > 0 {
            free -= 1
        } else {
            await withCheckedContinuation { line.append($0) }
        }
    }

    func giveBack() {
        if line.isEmpty { free += 1 } else { line.removeFirst().resume() }
    }
}

extension Trait where Self == FewAtOnce {
    static var fewAtOnce: FewAtOnce { FewAtOnce() }
}
