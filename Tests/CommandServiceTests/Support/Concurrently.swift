import CommandService
import Composition

/// Runs `count` tasks concurrently and returns their results in order.
func concurrently<Value: Sendable>(_ count: Int, _ work: @escaping @Sendable (Int) async throws -> Value) async throws -> [Value] {
    try await withThrowingTaskGroup(of: (Int, Value).self) { group in
        for number in 0..<count {
            group.addTask { (number, try await work(number)) }
        }
        var values = [Value?](repeating: nil, count: count)
        for try await (number, value) in group { values[number] = value }
        return values.compactMap { $0 }
    }
}

/// Returns the acceptance or the error of a command as a value.
func outcome(_ work: () async throws(ServiceError) -> Acceptance) async -> Result<Acceptance, ServiceError> {
    do throws(ServiceError) {
        return .success(try await work())
    } catch {
        return .failure(error)
    }
}
