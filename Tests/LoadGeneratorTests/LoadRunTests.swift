import CommandService
import Composition
import Foundation
import HTTPAPI
import Hummingbird
import Logging
import LoyaltyCodec
import NIOCore
import NIOPosix
import Testing

@testable import LoadGenerator

/// Runs the generator briefly against this service.
@Suite("Load run", .timeLimit(.minutes(15)))
struct LoadRunTests {
    @Test("A short load run violates no rule", .timeLimit(.minutes(15)), arguments: [Pace.flatOut, .week(meanPerSecond: 200, seconds: 1)])
    func small(_ pace: Pace) async throws {
        let report = try await Self.served { try await Self.stamping(pace, at: $0) }
        #expect(report.firstViolations == [])
        #expect(report.answers > 10)
        #expect(report.codesEntered > 0)
        #expect(report.papersStamped > 0 && report.papersTaken > 0)
        #expect(report.branches == 1 && report.atBranches.codes > 0 && report.atBranches.stamps > 0)
        #expect(report.text.contains("no rule violated"))
        #expect(try report.json.contains("\"violations\" : 0"))
    }

    @Test("Only the owner may read a record of answers, which has tokens in it, also if anybody could read the file before")
    func recordIsPrivate() throws {
        let path = FileManager.default.temporaryDirectory.path + "/greentea-record-" + UUID().uuidString
        defer { try? FileManager.default.removeItem(atPath: path) }
        try Data("old".utf8).write(to: URL(filePath: path))
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: path)
        _ = try AnswerRecord(path: path)
        let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? NSNumber
        #expect(mode?.intValue == 0o600)
        #expect(try Data(contentsOf: URL(filePath: path)).isEmpty)
    }

    /// Runs `work` against a separate server.
    private static func served<Value: Sendable>(_ work: @escaping @Sendable (ServerAddress) async throws -> Value) async throws -> Value {
        let folder = FileManager.default.temporaryDirectory.path + "/greentea-load-" + UUID().uuidString
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        let service = try Self.opened(folder)
        defer { Self.close(service) }
        var logger = Logger(label: "load")
        logger.logLevel = .critical
        let api = try API(service: service, configuration: .init(isDevelopment: true, publicURL: "http://127.0.0.1"), logger: logger)
        let (ports, found) = AsyncStream.makeStream(of: Int.self)
        let server = api.application(hostname: "127.0.0.1", port: 0) { channel in found.yield(channel.localAddress?.port ?? 0) }
        return try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await server.run() }
            var ports = ports.makeAsyncIterator()
            let port = try #require(await ports.next())
            defer { group.cancelAll() }
            return try await work(ServerAddress(host: "127.0.0.1", port: port))
        }
    }

    @Test("Each opened stream reports each stamp of its account once", .timeLimit(.minutes(15)))
    func streams() async throws {
        // The run is repeated if no stamp was given in the two seconds because the machine was busy, or if the event of a stamp arrived
        // only after the next stamp of its account.
        var report = try await Self.streaming()
        while report.events == 0 || report.missed > 0 { report = try await Self.streaming() }
        #expect(report.streams == 20 && report.accounts == 3 && report.lost == 0 && report.bytesAStream == 0)
        #expect(report.p50 > 0 && report.p50 <= report.slowest)
        #expect(report.text.contains("20 streams of 3 accounts"))
    }

    private static func streaming() async throws -> StreamReport {
        try await served { address in
            let plan = StreamPlan(streams: 20, shops: 2, lanes: 2, peakSeconds: 1, seconds: 2)
            return try await StreamRun(plan, against: address, on: MultiThreadedEventLoopGroup.singleton).run(memory: { 1 }) { _ in }
        }
    }

    /// Repeats the run until a branch has given stamps and a paper card was taken, or a rule was violated. On a busy machine, four seconds
    /// may pass without these.
    private static func stamping(_ pace: Pace, at address: ServerAddress) async throws -> LoadReport {
        for seed in 1...UInt64.max {
            let plan = LoadPlan(accounts: 20, shops: 3, lanes: 4, pace: pace, seconds: 4, seed: seed)
            let report = try await LoadRun(plan, against: address, on: MultiThreadedEventLoopGroup.singleton).run()
            if report.atBranches.stamps > 0 && report.papersTaken > 0 || report.firstViolations != [] { return report }
        }
        preconditionFailure("the suite's limit comes first")
    }

    private static func close(_ service: GreenTea) { try? service.close() }

    /// Opening blocks the thread, so this function is synchronous.
    private static func opened(_ folder: String) throws -> GreenTea {
        try GreenTea(data: DataFolder(folder), master: try MasterSecret(bytes: Array(repeating: 7, count: 32)))
    }
}
