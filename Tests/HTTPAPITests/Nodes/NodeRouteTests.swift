import Composition
import EventLog
import Foundation
import HTTPTypes
import Loyalty
import LoyaltyCodec
import NIOHTTP1
import Nodes
import Patience
import Synchronization
import Testing

@testable import HTTPAPI

@Suite("Requests between nodes", .timeLimit(.minutes(15)))
struct NodeRouteTests {
    private static func client(_ nodes: TwoNodes, _ signature: NodeSignature, log: String? = nil) throws -> NodeClient {
        try NodeClient(
            try NodeAddress("http://127.0.0.1:\(nodes.writerPort)"), log: log ?? nodes.stage.service.log.origin, signature: signature,
            answerSeconds: 300, rowsSeconds: 300)
    }

    private static func entries(_ client: NodeClient, after position: Position, bytes: Int) async throws -> [[UInt8]] {
        try await onThread { try client.entries(after: position, bytes: bytes) }
    }

    @Test("The log read page by page is the log, each entry with its events and its roots", arguments: [1, 700, NodePaths.logBytesMax])
    func pages(_ bytes: Int) async throws {
        try await TwoNodes.run { nodes in
            _ = try await Cast(nodes.atWriter)
            let (log, secret) = (nodes.stage.service.log, nodes.stage.service.keys.entrySecret)
            let key = EntryKey(secret: secret, log: log.origin)
            var (position, entries): (Position, [Entry]) = (.start, [])
            while position < log.head {
                let page = try await Self.entries(nodes.client, after: position, bytes: bytes)
                let entry = try Entry(try #require(page.first), key: key)
                #expect(page.count == 1 && entry.first == position.next)
                #expect(entries.last.map { $0.after == entry.before } ?? true)
                #expect(entry.bytes == (try log.entry(after: position, bytes: bytes, key: key))?.bytes)
                entries.append(entry)
                position = entry.last
            }
            #expect(position == log.head)
            #expect(bytes > 1 || entries.count == Int(log.head.rawValue))
            #expect(bytes < NodePaths.logBytesMax || entries.count == 1)
        }
    }

    @Test("A node at the head waits for the next event, and one beyond the head is told that this log is shorter")
    func head() async throws {
        try await TwoNodes.run { nodes in
            let cast = try await Cast(nodes.atWriter)
            let head = nodes.stage.service.log.head
            let waiting = Task { try await Self.entries(nodes.client, after: head, bytes: 1_000) }
            _ = try await cast.issue()
            // Either the event or, on a machine that is slower than the wait, nothing yet.
            #expect(try await waiting.valueInTime().count <= 1)
            #expect(try await Self.entries(nodes.client, after: head, bytes: 1_000).count == 1)
            let error = await #expect(throws: EventLogError.self) {
                try await Self.entries(nodes.client, after: Position(nodes.stage.head + 1), bytes: 1_000)
            }
            #expect(error?.code == .engineBehind)
        }
    }

    @Test("The key rows of at most five hundred accounts come sealed")
    func keys() async throws {
        try await TwoNodes.run { nodes in
            let accounts = (1...NodePaths.accountsMax).map { AccountID(UInt128($0)) }
            let rows = try await onThread { try nodes.client.rows(of: accounts) }
            #expect(rows.count > NodePaths.accountsMax * 17)
            for wrong in [accounts + [AccountID(501)], []] {
                await #expect(throws: NodeError.self) { _ = try await onThread { try nodes.client.rows(of: wrong) } }
            }
        }
    }

    @Test("A picture comes sealed, and a missing one is none")
    func pictures() async throws {
        try await TwoNodes.run { nodes in
            let bytes = StoredFile.bytes(1 << 20)
            let image = try StoredFile(Data(bytes), on: nodes.stage).image
            let client = nodes.client
            let sealed = try await onThread { try client.picture(image) }
            let opened = nodes.stage.service.keys.opened(try #require(sealed), for: "greentea/v1/picture/\(image.text)")
            #expect(opened?.dropFirst() == bytes[...])
            let missing = try await onThread { try nodes.client.picture(ImageID(1)) }
            #expect(missing == nil)
        }
    }

    @Test("The checkpoint needs no signature")
    func checkpoint() async throws {
        try await TwoNodes.run { nodes in
            let note = try await onThread { try nodes.client.checkpoint() }
            #expect(String(decoding: note, as: UTF8.self).hasPrefix(nodes.stage.service.log.origin + "\n"))
        }
    }

    @Test("A stranger finds nothing, with and without a signature", arguments: ["/node/log?after=0", "/node/keys?accounts=", "/node/"])
    func strangers(_ path: String) async throws {
        try await TwoNodes.run { nodes in
            let other = NodeSignature(secret: [1], log: nodes.stage.service.log.origin)
            for header in ["", "1", other.header("GET", path, epoch: TwoNodes.epoch)] {
                for visitor in [nodes.atWriter, nodes.atFollower] {
                    let reply = try await visitor.get(path, headers: [.greenTeaNode: header])
                    try reply.expectProblem("notFound", 404)
                    #expect(reply.headers[.greenTeaNode] == nil && reply.headers[.greenTeaNodeEpoch] == nil)
                }
            }
            let header = other.header("POST", "/v1/verifications", epoch: TwoNodes.epoch)
            let forged = try await nodes.atWriter.post(
                "/v1/verifications", #"{"phone":"+8613800138000"}"#, headers: [.greenTeaNode: header])
            try forged.expectProblem("notFound", 404)
        }
    }

    @Test("A request that was received before is refused, and its sender is told why")
    func repeated() async throws {
        try await TwoNodes.run { nodes in
            let headers: HTTPFields = [.greenTeaNode: nodes.signature.header("GET", "/node/none", epoch: TwoNodes.epoch)]
            let first = try await nodes.atWriter.get("/node/none", headers: headers)
            #expect(first.status == 404 && first.headers[.greenTeaNode] == NodeSignature.accepted)
            let reply = try await nodes.atWriter.get("/node/none", headers: headers)
            try reply.expectProblem("notFound", 404)
            #expect(reply.headers[.greenTeaNode] == NodeRefusal.repeated.description)
        }
    }

    @Test("A request that names no epoch, or that of another process, is carried out by nobody, and its sender is told what to sign")
    func otherEpoch() async throws {
        try await TwoNodes.run { nodes in
            let (path, body) = ("/v1/verifications", #"{"phone":"+8613800138000"}"#)
            for epoch in [0, 8] as [UInt64] {
                let header = nodes.signature.header("POST", path, body: Array(body.utf8), epoch: epoch)
                let reply = try await nodes.atWriter.post(path, body, headers: [.greenTeaNode: header])
                #expect(reply.status == 421 && reply.headers[.greenTeaNodeEpoch] == "7" && reply.body.isEmpty)
                #expect(reply.headers[.greenTeaNode] == NodeRefusal.otherEpoch(TwoNodes.epoch).description)
            }
            let header = nodes.signature.header("POST", path, body: Array(body.utf8), epoch: TwoNodes.epoch)
            let reply = try await nodes.atWriter.post(path, body, headers: [.greenTeaNode: header])
            #expect(reply.status == 202 && reply.headers[.greenTeaNodeEpoch] == nil)
        }
    }

    @Test("A node that restarts, also one that asks for another epoch each time, is asked once more")
    func restarted() async throws {
        let signature = NodeSignature(secret: [1], log: "log.example/tea")
        let once = ScriptedNode { number in
            number == 1 ? .answer(.misdirectedRequest, Self.refusal(5)) : .answer(.ok, ["GreenTea-Node": "1"], [9])
        }
        try await once.whileListening { address in
            let client = try NodeClient(try NodeAddress(address), log: "log.example/tea", signature: signature, rowsSeconds: 300)
            #expect(try await onThread { try client.rows(of: [AccountID(1)]) } == [9])
            #expect(try await onThread { try client.rows(of: [AccountID(1)]) } == [9])
            let signed = once.asked.compactMap { $0.head.headers.first(name: NodeSignature.headerName)?.split(separator: ",")[1] }
            #expect(signed == ["0", "5", "5"])
        }
        let always = ScriptedNode { .answer(.misdirectedRequest, Self.refusal($0)) }
        try await always.whileListening { address in
            let client = try NodeClient(try NodeAddress(address), log: "log.example/tea", signature: signature, rowsSeconds: 300)
            await #expect(throws: NodeError.refused(node: address, reason: "other")) {
                try await onThread { try client.rows(of: [AccountID(1)]) }
            }
            #expect(always.asked.count == 2)
        }
    }

    private static func refusal(_ epoch: Int) -> HTTPHeaders { ["GreenTea-Node": "other", "GreenTea-Node-Epoch": "\(epoch)"] }

    @Test("Another secret and another log are errors of their own")
    func refusals() async throws {
        try await TwoNodes.run { nodes in
            let (secret, log) = (nodes.stage.service.keys.nodeSecret, nodes.stage.service.log.origin)
            let address = "http://127.0.0.1:\(nodes.writerPort)"
            let stranger = try Self.client(nodes, NodeSignature(secret: [1], log: log))
            await #expect(throws: NodeError.refused(node: address, reason: NodeRefusal.unknown.description)) {
                try await onThread { try stranger.rows(of: [AccountID(1)]) }
            }
            let lost = try Self.client(nodes, NodeSignature(secret: secret, log: "log.example/other"), log: "log.example/other")
            await #expect(throws: NodeError.otherLog(node: address, log: log, expected: "log.example/other")) {
                try await onThread { try lost.rows(of: [AccountID(1)]) }
            }
            let mismatch = await #expect(throws: EventLogError.self) { try await Self.entries(lost, after: .start, bytes: 1) }
            #expect(mismatch?.code == .logMismatch)
        }
    }

    @Test("A node that is away, answers too much or is something else is named")
    func others() async throws {
        let signature = NodeSignature(secret: [1], log: "log.example/tea")
        let large = ScriptedNode { _ in .answer(.ok, ["GreenTea-Node": "1"], [UInt8](repeating: 0, count: 1 << 21)) }
        try await large.whileListening { address in
            let client = try NodeClient(try NodeAddress(address), log: "log.example/tea", signature: signature, rowsSeconds: 300)
            await #expect(throws: NodeError.tooLarge(node: address, bytesMax: 1 << 20)) {
                try await onThread { try client.rows(of: [AccountID(1)]) }
            }
        }
        let other = ScriptedNode { _ in .answer(.ok, [:], [1]) }
        try await other.whileListening { address in
            let client = try NodeClient(try NodeAddress(address), log: "log.example/tea", signature: signature, rowsSeconds: 300)
            await #expect(throws: NodeError.unexpected(node: address, status: 200, reason: "")) {
                try await onThread { try client.rows(of: [AccountID(1)]) }
            }
        }
        let gone = ScriptedNode { _ in .close }
        try await gone.whileListening { address in
            let client = try NodeClient(try NodeAddress(address), log: "log.example/tea", signature: signature, rowsSeconds: 300)
            let error = await #expect(throws: EventLogError.self) { try await Self.entries(client, after: .start, bytes: 1) }
            #expect(error?.code == .unreachable)
            #expect(gone.asked.count == 1)
        }
    }

    @Test("A file that has no certificates is refused at once")
    func authorities() throws {
        #expect(throws: NodeError.self) {
            try NodeClient(
                try NodeAddress("https://node2"), log: "log.example/tea", signature: NodeSignature(secret: [1], log: "log.example/tea"),
                authorities: "/dev/null")
        }
    }
}
