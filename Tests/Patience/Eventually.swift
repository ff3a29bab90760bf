internal import Foundation
public import Testing

/// The maximum wait in seconds for any step of a test. On a loaded machine, half a minute can pass without progress. `Tools/mutants`
/// shortens it, because some bugs make a test wait for what never comes.
public let patienceSeconds = ProcessInfo.processInfo.environment["GREENTEA_PATIENCE"].flatMap(Double.init) ?? 300

/// Waits until another thread or process makes the condition true. A failure prints the name of the condition.
public func eventually(
    _ what: Comment, sourceLocation: SourceLocation = #_sourceLocation, _ holds: () throws -> Bool
) async throws {
    let deadline = ContinuousClock.now.advanced(by: .seconds(patienceSeconds))
    while try !holds() {
        try #require(ContinuousClock.now < deadline, what, sourceLocation: sourceLocation)
        try await Task.sleep(for: .milliseconds(1))
    }
}

/// Waits as the asynchronous function of this name does, but blocks the calling thread.
@available(*, noasync)
public func eventually(_ what: Comment, sourceLocation: SourceLocation = #_sourceLocation, _ holds: () throws -> Bool) throws {
    let deadline = ContinuousClock.now.advanced(by: .seconds(patienceSeconds))
    while try !holds() {
        try #require(ContinuousClock.now < deadline, what, sourceLocation: sourceLocation)
        Thread.sleep(forTimeInterval: 0.001)
    }
}
