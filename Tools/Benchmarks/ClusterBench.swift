import Composition
import Etcd
import EventLog
import Foundation
import LMDB
import LoyaltyCodec
import Merkle
import Synchronization

/// Measures a writer whose entries etcd orders, and a follower. The baselines are a bare loop of the same transactions, one node by itself,
/// and raw LMDB.
struct ClusterBench {
    /// Concurrent callers of the stamps.
    private static let callers = 1_024
    /// Connections of the stamps over HTTP.
    private static let connections = 256

    let sizes: Sizes
    let folder: String
    /// The addresses of etcd's members, with commas.
    let etcd: String

    func run(into report: inout Report) async throws {
        for shape in sizes.clusterShapes {
            for round in 0..<sizes.rounds { try await commit(shape, round, into: &report) }
            report.addRatio(
                "committer : bare loop, \(shape)", of: Self.row("committer", shape), to: Self.row("bare loop", shape), target: 0.6)
        }
        for round in 0..<sizes.rounds { try await stamp(round, into: &report) }
        report.addRatio("stamps : one node", of: Self.stamps("etcd"), to: Self.stamps("one node"), target: 0.25)
        for round in 0..<sizes.rounds { try await enter(round, into: &report) }
        report.addRatio("stamps over HTTP : one node", of: Self.entered("etcd"), to: Self.entered("one node"), target: 0.4)
        try await adopt(into: &report)
        report.addRatio("adoption : raw LMDB", of: Self.adoption, to: Self.rawAdoption, target: 0.25)
        try await FollowerBench(sizes: sizes, folder: folder + "/reads").run(into: &report)
    }

    private static func row(_ side: String, _ shape: AppendShape) -> String { "\(side) \(shape), commits" }
    private static func stamps(_ side: String) -> String { "durable stamps in process, \(callers) callers, \(side)" }
    private static func entered(_ side: String) -> String { "durable stamps over HTTP, \(connections) connections, \(side)" }
    private static let adoption = "events adopted from a peer"
    private static let rawAdoption = "raw LMDB, the same records"

    // MARK: Commits

    private func commit(_ shape: AppendShape, _ round: Int, into report: inout Report) async throws {
        let recorded = RecordedLog(try engine("committer-\(shape)-\(round)"))
        let folder = folder + "/committer-\(shape)-\(round)"
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let store = try LogBenchStore(in: folder, shape, by: try Self.claimed(recorded))
        let lanes = try await Lanes.run(shape.writers, seconds: sizes.logSeconds) { try await store.append($0, $1) }
        try await store.check(lanes)
        try close(store)
        let entries = recorded.entries
        report.append(Double(entries.count) / lanes.seconds, to: Self.row("committer", shape), "commits/s")
        report.append(lanes.rate * Double(shape.events), to: "committer \(shape), events", "events/s")
        let bytes = entries.reduce(0) { $0 + $1.bytes.count } / max(1, entries.count)
        report.append(Double(bytes), to: "committer \(shape), bytes of an entry", "bytes")
        let bare = try engine("bare-\(shape)-\(round)")
        guard var head = recorded.first, try bare.claim(replacing: nil, as: head) == .durable else { throw BenchError.unexpected }
        let elapsed = try blockingSeconds {
            for entry in entries {
                guard try bare.append(entry, replacing: head) == .durable else { throw BenchError.unexpected }
                head = head.advanced(by: entry)
            }
        }
        report.append(Double(entries.count) / elapsed, to: Self.row("bare loop", shape), "commits/s")
        try trim(recorded, bare)
    }

    /// Keeps etcd's file small for the next rounds.
    private func trim(_ logs: any SharedLog...) throws {
        for log in logs { try log.trim(through: Position(UInt64(Int64.max))) }
    }

    private func engine(_ name: String) throws -> EtcdLog {
        let settings = try EtcdSettings(endpoints: etcd.split(separator: ",").map(String.init))
        return EtcdLog(settings, log: "bench/\(UUID().uuidString)/\(name)", node: .bench, process: 1)
    }

    private static func claimed(_ log: any SharedLog) throws -> SharedCommit {
        let commit = SharedCommit(log, key: .bench, process: 1)
        try commit.claim(as: .bench, at: .start, root: TreeHasher.emptyRoot)
        return commit
    }

    // MARK: Stamps

    private func stamp(_ round: Int, into report: inout Report) async throws {
        try await inTurns("stamps-\(round)", round) { name, folder, durability in
            let shop = try await BenchShop.open(in: folder, customers: Self.callers, durability: durability)
            let rate = try await CommandBench.rate(of: shop, callers: Self.callers, count: sizes.clusterStamps)
            report.append(rate, to: Self.stamps(name), "stamps/s")
            try close(shop.service)
        }
    }

    private func enter(_ round: Int, into report: inout Report) async throws {
        try await inTurns("entered-\(round)", round) { name, folder, durability in
            let server = try await StampServer.open(in: folder, sizes: sizes, durability: durability)
            let load = try await server.stamps(try await server.input(), over: Self.connections)
            report.append(load.rate, to: Self.entered(name), "requests/s")
            try close(server.shop.service)
        }
    }

    /// Measures one node by itself and one over etcd, in an order that alternates.
    private func inTurns(
        _ name: String, _ round: Int, _ measure: (_ side: String, _ folder: String, any BatchDurability) async throws -> Void
    ) async throws {
        let engine = try engine(name)
        let sides: [(name: String, durability: any BatchDurability)] = [("one node", LocalCommit()), ("etcd", try Self.claimed(engine))]
        for side in round.isMultiple(of: 2) ? sides : sides.reversed() {
            let folder = folder + "/\(name)-\(side.name)"
            defer { try? FileManager.default.removeItem(atPath: folder) }
            try await measure(side.name, folder, side.durability)
        }
        try trim(engine)
    }

    // MARK: Adoption

    private func adopt(into report: inout Report) async throws {
        let store = try LogBenchStore(in: folder + "/leader", AppendShape(64, 64))
        let lanes = try await Lanes.run(64, seconds: sizes.logSeconds) { try await store.append($0, $1) }
        try await store.check(lanes)
        let events = Int(store.log.head.rawValue)
        for round in 0..<sizes.rounds {
            let folder = folder + "/adoption-\(round)"
            defer { try? FileManager.default.removeItem(atPath: folder) }
            report.append(Double(events) / (try await adoptionSeconds(of: store.log, in: folder)), to: Self.adoption, "events/s")
            let raw = try blockingSeconds { try Self.copy(store.log, to: folder + "/raw") }
            report.append(Double(events) / raw, to: Self.rawAdoption, "events/s")
        }
        try close(store)
    }

    private func adoptionSeconds(of leader: EventLog, in folder: String) async throws -> Double {
        let log = try LogBenchStore.log(in: folder)
        let follower = LogFollower(log: log, key: .bench, from: LeaderEntries(log: leader)) { _ in }
        let elapsed = try await seconds {
            follower.start()
            guard try await log.headSignal.reached(leader.head, timeoutSeconds: 600) else { throw BenchError.unexpected }
        }
        await follower.shutDown()
        guard try log.root(through: leader.head) == leader.root(through: leader.head) else { throw BenchError.unexpected }
        try close(log)
        return elapsed
    }

    /// Appends a log's records to a table, with as many bytes in a transaction as a follower has.
    private static func copy(_ log: EventLog, to folder: String) throws {
        let environment = try Environment(directory: folder, access: .readWrite), table = try environment.table("events", .integer)
        var position: UInt64 = 0
        while position < log.head.rawValue {
            var transaction = try environment.write()
            var bytes = 0
            try log.scan(after: Position(position)) { place, record in
                try transaction.append(table, place.rawValue, record.bytes)
                (position, bytes) = (place.rawValue, bytes + record.bytes.count)
                return bytes < LogLimits.sharedBatchBytesMax
            }
            try transaction.commit()
        }
    }
}

/// A log's entries, without a network.
private struct LeaderEntries: EntrySource {
    let log: EventLog

    func entries(after position: Position, bytes: Int) throws(EventLogError) -> [[UInt8]] {
        try log.entry(after: position, bytes: bytes, key: .bench).map { [$0.bytes] } ?? []
    }
}

/// A shared log that remembers the first head and the entries after it.
private final class RecordedLog: SharedLog {
    private let log: any SharedLog
    private let recorded = Mutex<(first: Head?, entries: [Entry])>((nil, []))

    init(_ log: any SharedLog) { self.log = log }

    var first: Head? { recorded.withLock { $0.first } }
    var entries: [Entry] { recorded.withLock { $0.entries } }

    func head() throws(EventLogError) -> Head? { try log.head() }

    func append(_ entry: Entry, replacing old: Head) throws(EventLogError) -> SharedLogAnswer {
        let answer = try log.append(entry, replacing: old)
        recorded.withLock { $0.entries.append(entry) }
        return answer
    }

    func claim(replacing old: Head?, as new: Head) throws(EventLogError) -> SharedLogAnswer {
        recorded.withLock { $0.first = new }
        return try log.claim(replacing: old, as: new)
    }

    func trim(through position: Position) throws(EventLogError) { try log.trim(through: position) }

    func entries(after position: Position, bytes: Int) throws(EventLogError) -> [[UInt8]] { try log.entries(after: position, bytes: bytes) }
}

extension EntryKey {
    fileprivate static let bench = EntryKey(secret: [UInt8](repeating: 7, count: 32), log: "bench")
}

extension NodeName {
    fileprivate static let bench = {
        guard let name = NodeName("bench") else { preconditionFailure("not a node's name") }
        return name
    }()
}

private func close(_ log: EventLog) throws { try log.close() }
