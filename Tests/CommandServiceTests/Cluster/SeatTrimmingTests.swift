import CommandService
import EventLog
import Patience
import SharedLogs
import Synchronization
import Testing

@testable import Composition

/// The room in the shared log, as the writer's beats keep it.
@Suite(.fewAtOnce, .timeLimit(.minutes(15))) struct SeatTrimmingTests {
    /// More than between two trims.
    private static let trimSeconds = 3_600.0

    @Test("A writer whose entries fill the shared log refuses writes until a second node tells that it has the events")
    func full() async throws {
        let cluster = try TestCluster(untrimmedBytes: 0...100)
        let (a, b) = (cluster.a, cluster.b)
        cluster.meet()
        let shop = try await TeaShop.open(on: a.service)
        try await cluster.settle()
        #expect(cluster.engine.entries.reduce(0) { $0 + $1.bytes.count } > 100)
        cluster.pass(seconds: Self.trimSeconds)
        a.step()
        try await eventually("the writer is full") { isFull(a) }
        await #expect(throws: ServiceError.overloaded) { try await shop.code(on: a.service) }
        b.step()
        cluster.pass(seconds: Self.trimSeconds)
        a.step()
        try await eventually("the writer has room") { !isFull(a) }
        #expect(cluster.engine.entries.isEmpty)
        _ = try await shop.code(on: a.service)
        try await cluster.settle()
    }

    private func isFull(_ node: Node) -> Bool { node.service.seat?.isFull.load(ordering: .relaxed) == true }
}
