import Composition
import EventLog
import Foundation
import Hummingbird
import HummingbirdTesting
import Logging
import Loyalty
import LoyaltyCodec
import Nodes
import Testing

@testable import HTTPAPI

/// Two APIs over one service: the writer, and a node that follows it and has everything at once.
struct TwoNodes: Sendable {
    /// The epoch of both, which never ends.
    static let epoch: UInt64 = 7

    let stage: Stage
    let signature: NodeSignature
    /// The follower's client of the writer.
    let client: NodeClient
    /// A client of the writer, and of the follower.
    let atWriter, atFollower: Visitor
    let (writerPort, followerPort): (Int, Int)

    /// - Parameters:
    ///   - writer: the address at which the follower looks for the writer; nil for the writer's own.
    ///   - configure: the writer's settings.
    static func run(
        writer other: String? = nil, configure: @Sendable (inout API.Configuration) -> Void = { _ in },
        following: @Sendable (inout API.Configuration) -> Void = { _ in }, _ body: @Sendable (TwoNodes) async throws -> Void
    ) async throws {
        try await Places.take {
            let stage = try Stage()
            defer { stage.strike() }
            let log = stage.service.log.origin
            let signature = NodeSignature(secret: stage.service.keys.nodeSecret, log: log, epoch: Self.epoch) { 0 }
            let first = try stage.node(NodePeers(signature: signature) { .this }, configure)
            try await first.listening { atWriter, writerPort in
                let address = try NodeAddress(other ?? "http://127.0.0.1:\(writerPort)")
                let client = try NodeClient(address, log: log, signature: signature, answerSeconds: 300, rowsSeconds: 300)
                let second = try stage.node(NodePeers(signature: signature) { .other(client) }, following)
                try await second.listening { atFollower, followerPort in
                    try await body(
                        TwoNodes(
                            stage: stage, signature: signature, client: client, atWriter: atWriter, atFollower: atFollower,
                            writerPort: writerPort, followerPort: followerPort))
                }
            }
        }
    }

    init(
        stage: Stage, signature: NodeSignature, client: NodeClient, atWriter: Visitor, atFollower: Visitor, writerPort: Int,
        followerPort: Int
    ) {
        (self.stage, self.signature, self.client) = (stage, signature, client)
        (self.atWriter, self.atFollower) = (atWriter, atFollower)
        (self.writerPort, self.followerPort) = (writerPort, followerPort)
    }
}

extension Stage {
    /// Another API over this service.
    func node(_ peers: NodePeers, _ configure: (inout API.Configuration) -> Void = { _ in }) throws -> API {
        var configuration = API.Configuration(isDevelopment: true, publicURL: Self.publicURL)
        configuration.messageLimits = nil
        configuration.peers = peers
        configure(&configuration)
        return try API(
            service: service, configuration: configuration, logger: Logger(label: "tests", factory: { _ in SwiftLogNoOpLogHandler() }))
    }
}

extension API {
    func listening(_ body: @Sendable (Visitor, Int) async throws -> Void) async throws {
        var terms = ConnectionTerms.unhurried
        (terms.idle, terms.patience) = (.seconds(3_600), .seconds(3_600))
        try await application(hostname: "127.0.0.1", port: 0, server: server(terms)) { _ in }.test(.live) { client in
            try await body(Visitor(client: client), try #require(client.port))
        }
    }
}

/// Runs a blocking call of a ``NodeClient`` on a thread of its own.
func onThread<Value: Sendable>(_ work: @escaping @Sendable () throws -> Value) async throws -> Value {
    try await withCheckedThrowingContinuation { continuation in
        Thread.detachNewThread { continuation.resume(with: Result { try work() }) }
    }
}
