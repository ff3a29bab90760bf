import CommandService
import Composition
import EventLog
import Foundation
import HTTPAPI
import Loyalty
import LoyaltyCodec
import Merkle
import ReadModels

/// Measures reads over HTTP at a node that follows a writer under full load. The baseline is a node that follows nobody, beside the same
/// writer and the same load.
///
/// All of them share this process and this machine, so the load takes as much from one side as from the other.
struct FollowerBench {
    private static let connections = 32
    /// Concurrent callers of the stamps.
    private static let callers = 64
    private static let following = "reads at a node that follows"
    private static let idle = "reads at a node by itself, beside the same load"

    let sizes: Sizes
    let folder: String

    private var script: String { folder + "/reads.lua" }

    func run(into report: inout Report) async throws {
        let master = try MasterSecret(bytes: SystemRandomness().bytes(32))
        let leader = try await BenchShop.open(in: folder + "/leader", customers: Self.callers, master: master)
        let path = "/v1/campaigns/" + leader.campaign.text
        for round in 0..<sizes.rounds {
            let copies = folder + "/copies-\(round)"
            defer { try? FileManager.default.removeItem(atPath: copies) }
            for side in round.isMultiple(of: 2) ? [Self.idle, Self.following] : [Self.following, Self.idle] {
                let head = leader.service.log.head, end = side == Self.idle ? head : nil
                let node = try BenchShop.openService(in: copies + "/\(side)", master: master) { _, _ in Leader(leader.service, end: end) }
                guard try await node.log.headSignal.reached(head, timeoutSeconds: 60),
                    await node.models.reached(head, timeoutSeconds: 60)
                else { throw BenchError.notFollowing(node.followingStatus?.failure) }
                let load = Task { try await Self.stamp(at: leader) }
                let reads = try await reads(of: path, at: node, seconds: sizes.httpSeconds)
                load.cancel()
                report.append(reads.rate, to: side, "requests/s")
                let stamps = Double(try await load.value) / Double(sizes.httpSeconds)
                report.append(stamps, to: "  durable stamps meanwhile, \(side)", "stamps/s")
                try close(node)
            }
        }
        report.addRatio("reads while following : by itself", of: Self.following, to: Self.idle, target: 0.9)
        try close(leader.service)
    }

    /// Gives stamps until the task is cancelled, and returns their number.
    private static func stamp(at shop: BenchShop) async throws -> Int {
        var count = 0
        while !Task.isCancelled {
            let codes = try await shop.issue(callers * 16)
            try await withThrowingTaskGroup(of: Void.self) { group in
                for caller in 0..<callers {
                    group.addTask {
                        for index in stride(from: caller, to: codes.count, by: callers) {
                            try await shop.stamp(codes[index], byCustomer: caller)
                        }
                    }
                }
                try await group.waitForAll()
            }
            count += codes.count
        }
        return count
    }

    private func reads(of path: String, at node: GreenTea, seconds: Int) async throws -> HTTPLoad {
        let api = try StampServer.api(of: node), script = script
        try LoadScript.summary.write(toFile: script, atomically: true, encoding: .utf8)
        return try await StampServer.serving(api.application) { port in
            try HTTPLoad(over: Self.connections, seconds: seconds, ["-s", script, "http://127.0.0.1:\(port)\(path)"])
        }
    }
}

/// The writer as its follower sees it, without a network.
private struct Leader: LeadingNode {
    private let service: GreenTea
    private let key: EntryKey
    /// The last event that the follower gets.
    private let end: Position

    init(_ service: GreenTea, end: Position?) {
        (self.service, self.end) = (service, end ?? Position(UInt64(Int64.max)))
        key = EntryKey(secret: service.keys.entrySecret, log: service.log.origin)
    }

    var url: String { "http://127.0.0.1" }
    var head: Position? { service.log.head }

    func checkpoint() throws(EventLogError) -> [UInt8] { service.checkpoints.latest.note.bytes }

    func entries(after position: Position, bytes: Int) throws(EventLogError) -> [[UInt8]] {
        let wanted = position < end ? position : Position(UInt64(Int64.max))
        guard service.log.headSignal.wait(beyond: wanted, timeoutSeconds: 1) > wanted else { return [] }
        return try service.log.entry(after: position, bytes: bytes, key: key).map { [$0.bytes] } ?? []
    }

    func rows(of holders: [AccountID]) throws -> [UInt8] { try service.keyRows(of: holders) }
    func picture(_ image: ImageID) throws -> [UInt8]? { nil }
    func stop() {}
}
