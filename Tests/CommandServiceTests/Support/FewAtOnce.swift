import Testing

/// Lets few tests at once have their folders open: each of a service's five environments reserves address space for the largest
/// disk there is, and a process has room for about a hundred of them.
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

/// As many tests as may run at once; the others wait in line.
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
