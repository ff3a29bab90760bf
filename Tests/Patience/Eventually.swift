internal import Foundation
public import Testing

/// Seconds that anything of a test may take: on a loaded machine nothing at all moves for half a minute at times.
public let patienceSeconds = 900.0

/// Waits until something holds that another thread or process brings about; a failure names it.
public func eventually(
    _ what: Comment, sourceLocation: SourceLocation = #_sourceLocation, _ holds: () throws -> Bool
) async throws {
    let deadline = ContinuousClock.now.advanced(by: .seconds(patienceSeconds))
    while try !holds() {
        try #require(ContinuousClock.now < deadline, what, sourceLocation: sourceLocation)
        try await Task.sleep(for: .milliseconds(1))
    }
}

/// The same for a thread of one's own.
@available(*, noasync)
public func eventually(_ what: Comment, sourceLocation: SourceLocation = #_sourceLocation, _ holds: () throws -> Bool) throws {
    let deadline = ContinuousClock.now.advanced(by: .seconds(patienceSeconds))
    while try !holds() {
        try #require(ContinuousClock.now < deadline, what, sourceLocation: sourceLocation)
        Thread.sleep(forTimeInterval: 0.001)
    }
}
