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

    @Test("A writer whose shared log refuses to remove entries says why, until it does so; room that is half used is told")
    func refused() async throws {
        let cluster = try TestCluster(untrimmedBytes: 0...100_000)
        let a = cluster.a
        cluster.meet()
        _ = try await TeaShop.open(on: a.service)
        try await cluster.settle()
        let failures = [
            EventLogError(.storage, "no right"), nil, EventLogError(.unreachable, "no answer"), EventLogError(.storage, "again"),
        ]
        for failure in failures {
            cluster.engine.failTrims(by: failure)
            cluster.pass(seconds: Self.trimSeconds)
            a.step()
            let told = failure.flatMap { $0.code == .unreachable ? nil : $0.detail }
            try await eventually("the reason is told") { a.service.clusterStatus?.trimFailure == told }
        }
        let bytes = cluster.engine.entries.reduce(0) { $0 + $1.bytes.count }
        #expect(a.service.clusterStatus?.usedShare == Double(bytes) / 100_000)
        #expect(cluster.b.service.clusterStatus?.usedShare == 0)
    }

    private func isFull(_ node: Node) -> Bool { node.service.seat?.isFull.load(ordering: .relaxed) == true }
}
