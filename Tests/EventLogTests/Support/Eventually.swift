import Foundation
import Synchronization
import Testing

@testable import EventLog

/// Seconds that anything of these tests may take: on a loaded machine nothing at all moves for half a minute at times.
private let patienceSeconds = 900.0

/// Waits until something holds that another thread brings about; a failure names it.
func eventually(
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
func eventually(_ what: Comment, sourceLocation: SourceLocation = #_sourceLocation, _ holds: () throws -> Bool) throws {
    let deadline = ContinuousClock.now.advanced(by: .seconds(patienceSeconds))
    while try !holds() {
        try #require(ContinuousClock.now < deadline, what, sourceLocation: sourceLocation)
        Thread.sleep(forTimeInterval: 0.001)
    }
}

extension HeadSignal {
    /// How many threads and tasks wait at it.
    var waiterCount: Int { state.withLock { $0.queue.count } }
}
