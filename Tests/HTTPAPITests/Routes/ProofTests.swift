import CommandService
import Composition
import EventLog
import Foundation
import HTTPTypes
import Loyalty
import LoyaltyCodec
import Merkle
import Testing

@testable import HTTPAPI

/// Tests the proofs that the log publishes, and the receipts that customers can keep.
@Suite("Proofs", .timeLimit(.minutes(15)))
struct ProofTests {
    private static func policy(_ stage: Stage) -> TrustPolicy { TrustPolicy(stage.service.checkpoints.verifierKey) }

    /// Signs the log up to its head, as the service does about once a second.
    private static func publish(_ stage: Stage) throws -> Checkpoint {
        try stage.service.checkpoints.checkpoint(covering: stage.service.log.head).checkpoint
    }

    @Test("Anyone can read the signed checkpoint, and caches keep it for two seconds")
    func checkpoint() async throws {
        try await onStage { stage, visitor in
            _ = try await Cast(visitor)
            let published = try Self.publish(stage)
            let reply = try await visitor.get("/checkpoint")
            #expect(reply.status == 200)
            #expect(reply.headers[.contentType] == "text/plain; charset=utf-8")
            #expect(reply.headers[.cacheControl] == "public, max-age=2")
            let trusted = try Self.policy(stage).open(try SignedNote(reply.body))
            #expect(trusted.checkpoint == published && published.size == stage.head)
            #expect(try stage.service.log.root() == published.root)
        }
    }

    @Test("The tiles contain the published tree and give its root")
    func tiles() async throws {
        try await onStage { stage, visitor in
            let cast = try await Cast(visitor)
            while stage.head < 300 { _ = try await cast.issue() }
            let published = try Self.publish(stage)
            _ = try await cast.issue()
            var hashes: [NodeHash] = []
            for tile in TileSequence(of: published.size) {
                let reply = try await visitor.get("/" + tile.path)
                #expect(reply.status == 200, "\(tile)")
                #expect(reply.headers[.contentType] == "application/octet-stream")
                #expect(reply.headers[.cacheControl] == "public, max-age=31536000, immutable")
                if tile.level == 0 { hashes += try tile.hashes(in: reply.body) }
                if tile.level == 1 { #expect(try tile.hashes(in: reply.body) == [Self.root(of: hashes[..<256])]) }
            }
            #expect(Self.root(of: hashes[...]) == published.root)
        }
    }

    /// The root by the definition in RFC 6962, §2.1.
    private static func root(of leaves: ArraySlice<NodeHash>) -> NodeHash {
        if leaves.count == 1 { return leaves[leaves.startIndex] }
        var half = 1
        while half * 2 < leaves.count { half *= 2 }
        let middle = leaves.startIndex + half
        var hasher = TreeHasher()
        return hasher.node(root(of: leaves[..<middle]), root(of: leaves[middle...]))
    }

    @Test("Partial tiles of older checkpoints stay, unpublished tiles do not exist, and only operators see entries")
    func unpublished() async throws {
        try await onStage { stage, visitor in
            let cast = try await Cast(visitor)
            let size = try Self.publish(stage).size
            for width in [1, size - 1, size] { #expect(try await visitor.get("/tile/0/000.p/\(width)").status == 200) }
            // The log contains this event, but the checkpoint does not cover it.
            let issued = try await cast.issue()
            #expect(!issued.code.isEmpty)
            let paths = [
                "000.p/\(stage.service.checkpoint.checkpoint.size + 2)", "000", "000.p/0", "000.p/256", "000.p/01", "x000/000.p/1", "0",
                "000/",
                "001.p/1", "../0/000.p/1", "%30/000.p/1",
            ].map { "/tile/0/" + $0 }
            let others = [
                "/tile/1/000.p/1", "/tile/64/000.p/1", "/tile/-1/000", "/tile/entries/000.p/1", "/tile/entries/000", "/tile/x", "/tile",
            ]
            for visitor in [visitor, cast.owner] {
                for path in paths + others { try await visitor.get(path).expectProblem("notFound", 404) }
            }
        }
    }

    @Test("Operators see the records, and their hashes are the ones in the public tiles")
    func entries() async throws {
        try await onStage { stage, visitor in
            let cast = try await Cast(visitor)
            let head = try await visitor.signedIn(Stage.operatorPhone, name: "operator")
            _ = try await cast.issue()
            let size = try Self.publish(stage).size
            for width in [1, size - 1, size] {
                let reply = try await head.get("/tile/entries/000.p/\(width)")
                #expect(reply.status == 200 && reply.headers[.cacheControl] == "no-store")
                let records = try EntryBundle.records(in: reply.body, width: Int(width))
                var hasher = TreeHasher()
                let hashes = records.map { hasher.leaf(Array($0)) }
                #expect(try await visitor.get("/tile/0/000.p/\(width)").body == hashes.flatMap(\.bytes))
            }
            let beyond = "/tile/entries/000.p/\(size + 1)"
            for path in [beyond, "/tile/entries/000", "/tile/entries/001.p/1"] { try await head.get(path).expectProblem("notFound", 404) }
            for someone in [visitor, cast.owner] { try await someone.get("/tile/entries/000.p/1").expectProblem("notFound", 404) }
        }
    }

    @Test("Tiles and the checkpoint are read-only", arguments: ["/checkpoint", "/tile/0/000.p/1"])
    func methods(_ path: String) async throws {
        try await onStage { _, visitor in
            _ = try await Cast(visitor)
            for method in [HTTPRequest.Method.post, .put, .delete] {
                let reply = try await visitor.send(method, path)
                try reply.expectProblem("methodNotAllowed", 405)
                #expect(reply.headers[.allow] == "GET, HEAD, OPTIONS")
            }
        }
    }

    @Test("A receipt is available at once and proves its stamp with the public key alone")
    func receipt() async throws {
        try await onStage { stage, visitor in
            let cast = try await Cast(visitor)
            for count in 1...3 {
                let position = try await cast.stamp(try await cast.issue().code).int("position")
                let reply = try await cast.customer.get("/v1/stamps/\(position)/receipt")
                #expect(reply.status == 200, "\(reply.text)")
                #expect(reply.headers[.contentType] == "text/plain; charset=utf-8")
                #expect(reply.headers[.cacheControl] == "private, no-cache")
                let receipt = try Receipt(reply.body)
                #expect(receipt.index == UInt64(position) - 1, "stamp \(count)")
                let record = try #require(receipt.extra)
                #expect(try receipt.verify(record, by: Self.policy(stage)).checkpoint.size >= UInt64(position))
                #expect(Record(record.span)?.type == .cardStamped)
                #expect(throws: MerkleError.self) { try receipt.verify(record + [0], by: Self.policy(stage)) }
            }
        }
    }

    @Test("A receipt of another account's stamp, of another event or of no event is answered with 404")
    func receiptOfNothing() async throws {
        try await onStage { stage, visitor in
            let cast = try await Cast(visitor)
            let position = try await cast.stamp(try await cast.issue().code).int("position")
            let path = "/v1/stamps/\(position)/receipt"
            try await visitor.get(path).expectProblem("unauthenticated", 401)
            try await cast.owner.get(path).expectProblem("notFound", 404)
            let places = ["0", "\(position - 1)", "\(stage.head + 1)", "18446744073709551615", "18446744073709551616"]
            for place in places + ["-1", "+\(position)", "0\(position)", "\(position)%20", "x", "٣"] {
                let encoded = place.addingPercentEncoding(withAllowedCharacters: .urlPathAllowed.union(["%"])) ?? place
                try await cast.customer.get("/v1/stamps/\(encoded)/receipt").expectProblem("notFound", 404)
            }
            #expect(try await cast.customer.get(path).status == 200)
        }
    }

    @Test("The receipt of an erasure needs no session, and proves the event, the account and the time")
    func erasure() async throws {
        try await onStage { stage, visitor in
            let cast = try await Cast(visitor)
            _ = try await cast.stamp(try await cast.issue().code)
            let gone = cast.customer.account
            let position = try #require(try await cast.customer.delete("/v1/me").position)
            let reply = try await visitor.get("/v1/erasures/\(position)/receipt?account=\(gone)")
            #expect(reply.status == 200, "\(reply.text)")
            #expect(reply.headers[.contentType] == "text/plain; charset=utf-8")
            let receipt = try Receipt(reply.body)
            let bytes = try #require(receipt.extra)
            #expect(receipt.index == position - 1)
            #expect(try receipt.verify(bytes, by: Self.policy(stage)).checkpoint.size >= position)
            #expect(Record(bytes.span)?.type == .accountErased)
            #expect(Record(bytes.span)?.value(of: .account) == AccountID(text: gone)?.value)
            #expect(throws: MerkleError.self) { try receipt.verify(bytes + [0], by: Self.policy(stage)) }
        }
    }

    @Test("Another account, another event and no event have no receipt of an erasure")
    func erasureOfNothing() async throws {
        try await onStage { stage, visitor in
            let cast = try await Cast(visitor)
            let stamped = try await cast.stamp(try await cast.issue().code).int("position")
            let gone = cast.customer.account
            let position = try #require(try await cast.customer.delete("/v1/me").position)
            for place in ["0", "\(stamped)", "\(position - 1)", "\(stage.head + 1)", "18446744073709551616", "x"] {
                try await visitor.get("/v1/erasures/\(place)/receipt?account=\(gone)").expectProblem("notFound", 404)
            }
            for other in ["\(cast.owner.account)", cast.shop, "acct_", "x"] {
                try await visitor.get("/v1/erasures/\(position)/receipt?account=\(other)").expectProblem("notFound", 404)
            }
            try await visitor.get("/v1/erasures/\(position)/receipt").expectProblem("invalidRequest", 400)
        }
    }

    @Test("An address that asks for erasures which it does not know must wait, and others need not")
    func erasureTried() async throws {
        try await onStage(try Stage(trustedProxies: 1)) { _, visitor in
            let cast = try await Cast(visitor)
            let (gone, busy): (_, HTTPFields) = (cast.customer.account, [.forwardedFor: "203.0.113.7"])
            let position = try #require(try await cast.customer.delete("/v1/me", key: "leave").position)
            let path = "/v1/erasures/\(position)/receipt?account=\(gone)"
            for _ in 0...Limits.failuresMax { #expect(try await visitor.get(path, headers: busy).status == 200) }
            for _ in 0..<Limits.failuresMax {
                try await visitor.get("/v1/erasures/1/receipt?account=\(gone)", headers: busy).expectProblem("notFound", 404)
            }
            try await visitor.get(path, headers: busy).expectProblem("rateLimited", 429)
            #expect(try await visitor.get(path, headers: [.forwardedFor: "203.0.113.8"]).status == 200)
        }
    }

    @Test("A client cannot multiply its tries at erasures with the networks of one IPv6 /48")
    func erasureTriedFromOneNetwork() async throws {
        try await onStage(try Stage(trustedProxies: 1)) { _, visitor in
            let gone = try await Cast(visitor).customer.account
            var counts: [Int: Int] = [:]
            for number in 0..<3 * Limits.failuresMax {
                let busy: HTTPFields = [.forwardedFor: "2001:db8:7:\(String(number, radix: 16))::1"]
                counts[try await visitor.get("/v1/erasures/1/receipt?account=\(gone)", headers: busy).status, default: 0] += 1
            }
            #expect(counts == [404: Limits.failuresMax, 429: 2 * Limits.failuresMax])
        }
    }

    @Test("A closed service keeps its last checkpoint and still serves receipts")
    func closed() async throws {
        try await onStage { stage, visitor in
            let cast = try await Cast(visitor)
            let position = try await cast.stamp(try await cast.issue().code).int("position")
            Self.close(stage)
            #expect(stage.service.checkpoint.checkpoint.size == stage.head)
            let kept = FileManager.default.contents(atPath: stage.folder + "/checkpoint")
            #expect(kept.map { [UInt8]($0) } == stage.service.checkpoint.note.bytes)
            #expect(try await cast.customer.get("/v1/stamps/\(position)/receipt").status == 200)
        }
    }

    /// `close` may only be called from synchronous code, so this function is synchronous.
    private static func close(_ stage: Stage) { stage.close() }
}
