import CommandService

/// Runs `work` with each number below `count`, in as many tasks at once. Returns the values by number.
func concurrently<Value: Sendable>(_ count: Int, _ work: @escaping @Sendable (Int) async throws -> Value) async throws -> [Value] {
    try await withThrowingTaskGroup { group in
        for number in 0..<count { group.addTask { (number, try await work(number)) } }
        return try await group.reduce(into: []) { $0.append($1) }.sorted { $0.0 < $1.0 }.map(\.1)
    }
}

/// A command's acceptance or error as a value, so that concurrent ones can be counted.
func outcome(of command: @autoclosure () async throws(ServiceError) -> Acceptance) async -> Result<Acceptance, ServiceError> {
    do throws(ServiceError) { return .success(try await command()) } catch { return .failure(error) }
}
