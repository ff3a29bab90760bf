import CommandService
import Composition
import EventLog
import Foundation
import Hummingbird
import Logging
import Loyalty
import LoyaltyCodec
import Nodes
import Synchronization
import Testing

@testable import HTTPAPI

/// Keys and pictures that a writer sends to another node.
@Suite("What a writer delivers", .timeLimit(.minutes(15)))
struct DeliveryTests {
    @Test("Rows and pictures are stored at the other node, which says why it refuses others")
    func stored() async throws {
        try await onStage { stage, _ in
            let writer = stage.service
            let account = try await writer.register(try #require(E164Number("+8613800138001"))).id
            let rows = try await onThread { try writer.keyRows(of: [account]) }
            let image = try StoredFile(Data(StoredFile.bytes(1 << 20)), on: stage).image
            let file = try #require(try await onThread { try writer.pictureForNode(image) })
            let delivery = Delivery(account: account, rows: rows, image: image, file: file)
            try await Follower.run { try await Self.deliver(delivery, to: $0) }
        }
    }

    private struct Delivery: Sendable {
        let account: AccountID
        let rows: [UInt8]
        let image: ImageID
        let file: [UInt8]
    }

    private static func deliver(_ delivery: Delivery, to nodes: Follower) async throws {
        let (account, client) = (delivery.account, nodes.client)
        #expect(try lacksKey(of: account, nodes.service))
        try await onThread { try client.keep(rows: delivery.rows, of: [account], term: 2) }
        #expect(try !lacksKey(of: account, nodes.service))
        try await onThread { try client.keep(picture: delivery.image, delivery.file) }
        #expect(try nodes.service.pictureForNode(delivery.image) != nil)
        let older = KeyRowsError.olderTerm(1, newest: 2).description
        await #expect(throws: NodeError.refused(node: "\(client.node)", reason: older)) {
            try await onThread { try client.keep(rows: delivery.rows, of: [account], term: 1) }
        }
        let other = KeyRowsError.pictureNotAuthentic(ImageID(1)).description
        await #expect(throws: NodeError.refused(node: "\(client.node)", reason: other)) {
            try await onThread { try client.keep(picture: ImageID(1), delivery.file) }
        }
    }

    private static func lacksKey(of account: AccountID, _ service: GreenTea) throws -> Bool {
        try service.lacking(in: service.keyRows(of: [account])).all == 1
    }

    @Test("A body that was not signed, a term that is no number and too many accounts store nothing")
    func refused() async throws {
        try await onStage { stage, _ in
            let account = AccountID(7)
            let rows = try await onThread { try stage.service.keyRows(of: [account]) }
            try await Follower.run { nodes in
                let (client, signature, visitor) = (nodes.client, nodes.signature, nodes.visitor)
                let path = "/node/keys?accounts=\(account.text)&term="
                for term in ["1", "0", "x", ""] {
                    let body = term == "1" ? rows : Array("{}".utf8)
                    let header = signature.header("POST", path + term, body: body, epoch: TwoNodes.epoch)
                    let reply = try await visitor.post(path + term, "{}", headers: [.greenTeaNode: header])
                    #expect(reply.status == 400 && reply.headers[.greenTeaNode] == NodeSignature.accepted, "\(term)")
                }
                let many = (1...NodePaths.accountsMax + 1).map { AccountID(UInt128($0)) }
                await #expect(throws: NodeError.self) { try await onThread { try client.keep(rows: rows, of: many, term: 1) } }
            }
        }
    }

    @Test("The writer takes nothing")
    func writer() async throws {
        try await TwoNodes.run { nodes in
            let rows = try await onThread { try nodes.stage.service.keyRows(of: [AccountID(7)]) }
            let reason = KeyRowsError.receiverWrites.description
            await #expect(throws: NodeError.refused(node: "\(nodes.client.node)", reason: reason)) {
                try await onThread { try nodes.client.keep(rows: rows, of: [AccountID(7)], term: 1) }
            }
        }
    }

    @Test("A picture is at another node before the answer; without one, the upload is refused and can be repeated")
    func upload() async throws {
        try await onStage { stage, visitor in
            let me = try await visitor.signedIn("+8613800138001")
            let courier = ScriptedCourier { [weak service = stage.service] in try service?.pictureForNode($0) != nil }
            stage.service.setCourier(courier)
            let refused = try await me.uploaded(key: "picture")
            try refused.expectProblem("writerUnavailable", 503)
            #expect(refused.headers[.retryAfter] != nil)
            courier.comeBack()
            let image = try #require(ImageID(text: try await me.uploaded(key: "picture").string("id")))
            #expect(courier.delivered == [image])
            #expect(try await me.uploaded(key: "picture").status == 201)
        }
    }
}

/// A courier without another node, until it comes back.
private final class ScriptedCourier: Courier {
    private let state = Mutex((isAway: true, delivered: [ImageID]()))
    private let isStored: @Sendable (ImageID) throws -> Bool

    /// - Parameter isStored: whether the writer has the picture.
    init(_ isStored: @escaping @Sendable (ImageID) throws -> Bool) { self.isStored = isStored }

    var delivered: [ImageID] { state.withLock { $0.delivered } }

    func comeBack() { state.withLock { $0.isAway = false } }

    func deliver(keysOf holders: [AccountID]) throws {}

    func deliver(picture: ImageID) throws {
        #expect(try isStored(picture))
        try state.withLock { state in
            guard !state.isAway else { throw CourierError.noPeer("away") }
            state.delivered.append(picture)
        }
    }
}

/// A service that follows a silent node, with an API.
private struct Follower: Sendable {
    let service: GreenTea
    let client: NodeClient
    let signature: NodeSignature
    let visitor: Visitor

    static func run(_ body: @Sendable (Follower) async throws -> Void) async throws {
        let folder = Stage.newFolder()
        let service = try open(in: folder)
        defer { close(service, in: folder) }
        let signature = NodeSignature(secret: service.keys.nodeSecret, log: service.log.origin, epoch: TwoNodes.epoch) { 0 }
        var configuration = API.Configuration(isDevelopment: true, publicURL: Stage.publicURL)
        configuration.peers = NodePeers(signature: signature) { .this }
        let api = try API(
            service: service, configuration: configuration, logger: Logger(label: "tests", factory: { _ in SwiftLogNoOpLogHandler() }))
        try await api.listening { visitor, port in
            let client = try NodeClient(
                try NodeAddress("http://127.0.0.1:\(port)"), log: service.log.origin, signature: signature, answerSeconds: 300,
                keepSeconds: 300)
            try await body(Follower(service: service, client: client, signature: signature, visitor: visitor))
        }
    }

    private static func open(in folder: String) throws -> GreenTea {
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        return try GreenTea(
            data: DataFolder(folder), master: try MasterSecret(bytes: Stage.secret), clock: TestClock(), passwords: PasswordCost(log2N: 4),
            duePeriodSeconds: nil, leader: { _, _ in SilentNode() })
    }

    private static func close(_ service: GreenTea, in folder: String) {
        try? service.close()
        try? FileManager.default.removeItem(atPath: folder)
    }
}

private struct SilentNode: LeadingNode {
    private static let silence = EventLogError(.unreachable, "no answer")

    var url: String { "http://127.0.0.1:1" }
    var head: Position? { nil }

    func checkpoint() throws(EventLogError) -> [UInt8] { throw Self.silence }
    func entries(after position: Position, bytes: Int) throws(EventLogError) -> [[UInt8]] { throw Self.silence }
    func rows(of holders: [AccountID]) throws -> [UInt8] { throw Self.silence }
    func picture(_ image: ImageID) throws -> [UInt8]? { throw Self.silence }
    func stop() {}
}
