import Synchronization
import Testing

@testable import Nodes

@Suite("Signatures of nodes")
struct NodeSignatureTests {
    private static let secret = [UInt8](0..<32)
    private static let body = Array(#"{"code":"x"}"#.utf8)
    private static let epoch: UInt64 = 0x1F

    private static func signature(
        _ secret: [UInt8] = secret, log: String = "log.example/tea", epoch: UInt64 = epoch
    ) -> NodeSignature {
        NodeSignature(secret: secret, log: log, epoch: epoch) { 0 }
    }

    /// Python's hmac and hashlib made it.
    @Test("A header that another program has made is accepted, with its client and its body")
    func golden() throws {
        let header =
            "2,1f,000102030405060708090a0b0c0d0e0f,f42e4b803d8d73ab5361154c7690b639e5513aca72a7d1df1c77d7e8440db109,203.0.113.7,"
            + "236c3ffba8801fa9fa1b5673a213fa77ed7c543115886bf7467864ad36b55ef7"
        let verifier = Self.signature()
        #expect(verifier.sender(header, "POST", "/v1/stamps?a=1") == ("203.0.113.7", true) && !verifier.hasMet)
        let signed = try verifier.verify(header, "POST", "/v1/stamps?a=1")
        #expect(signed.client == "203.0.113.7" && signed.newEpoch == nil && verifier.hasMet)
        #expect(signed.covers(Self.body) && !signed.covers([]) && !signed.covers(Self.body + [32]))
    }

    @Test("A request without a client has none, and an empty body is signed, too")
    func plain() throws {
        let signature = Self.signature()
        let header = signature.header("GET", "/node/log?after=0", epoch: Self.epoch)
        let signed = try signature.verify(header, "GET", "/node/log?after=0")
        #expect(signed.client == nil && signed.covers([]) && !signed.covers([0]))
    }

    @Test(
        "A signature of another secret, log, method, path or query is unknown",
        arguments: [
            (signature(Array(1...32)), "GET", "/node/log?after=0"), (signature(log: "log.example/coffee"), "GET", "/node/log?after=0"),
            (signature(), "POST", "/node/log?after=0"), (signature(), "GET", "/node/log?after=1"), (signature(), "GET", "/node/log"),
        ])
    func unknown(_ signer: NodeSignature, _ method: String, _ target: String) {
        let (header, verifier) = (signer.header(method, target, epoch: Self.epoch), Self.signature())
        #expect(throws: NodeRefusal.unknown) { try verifier.verify(header, "GET", "/node/log?after=0") }
        #expect(verifier.sender(header, "GET", "/node/log?after=0") == (nil, false) && !verifier.hasMet)
    }

    @Test("A header with any one character changed is refused")
    func eachCharacter() {
        let (signer, target) = (Self.signature(), "/node/log")
        let header = Array(signer.header("GET", target, body: Self.body, for: "203.0.113.7", epoch: Self.epoch).utf8)
        for index in header.indices {
            var changed = header
            changed[index] = changed[index] == UInt8(ascii: "0") ? UInt8(ascii: "1") : UInt8(ascii: "0")
            #expect(throws: NodeRefusal.unknown, "\(index)") {
                try signer.verify(String(decoding: changed, as: UTF8.self), "GET", target)
            }
        }
    }

    @Test("Text that is no signature is unknown", arguments: ["", ",", "2", "2,2,3,4,5,6", String(repeating: "2,", count: 400)])
    func nonsense(_ text: String) {
        #expect(throws: NodeRefusal.unknown) { try Self.signature().verify(text, "GET", "/") }
    }

    @Test("A request that was captured before a restart, or at another node, is not accepted and says what to sign")
    func destination() throws {
        let (header, other) = (Self.signature().header("GET", "/", epoch: Self.epoch), Self.signature(epoch: 0x20))
        #expect(throws: NodeRefusal.otherEpoch(0x20)) { try other.verify(header, "GET", "/") }
        #expect(other.sender(header, "GET", "/") == (nil, false))
        let first = Self.signature().header("GET", "/", epoch: 0)
        #expect(throws: NodeRefusal.otherEpoch(0x20)) { try other.verify(first, "GET", "/") }
        #expect(!other.hasMet)
        _ = try other.verify(Self.signature().header("GET", "/", epoch: 0x20), "GET", "/")
    }

    @Test("A header of the first version is refused by name")
    func version() {
        let header =
            "1,1764460000000,000102030405060708090a0b0c0d0e0f,f42e4b803d8d73ab5361154c7690b639e5513aca72a7d1df1c77d7e8440db109,203.0.113.7,"
            + "4f4bcc36bf79595dacd20f14f46cfb0625434812725797d1984094780d990b44"
        #expect(throws: NodeRefusal.otherVersion) { try Self.signature().verify(header, "POST", "/v1/stamps?a=1") }
    }

    @Test("A request is accepted once as long as its epoch is accepted, and no request is accepted for longer than three minutes")
    func repeated() throws {
        let time = Mutex<Int64>(0)
        let verifier = NodeSignature(secret: Self.secret, log: "log.example/tea", epoch: Self.epoch) { time.withLock { $0 } }
        func header(_ epoch: UInt64) -> String { Self.signature().header("GET", "/", epoch: epoch) }
        let (first, late) = (header(Self.epoch), header(Self.epoch))
        _ = try verifier.verify(first, "GET", "/")
        var newest = Self.epoch
        for second in stride(from: 0, through: 300, by: 10) as StrideThrough<Int64> {
            time.withLock { $0 = second }
            newest = try verifier.verify(header(newest), "GET", "/").newEpoch ?? newest
            #expect(throws: second < 120 ? NodeRefusal.repeated : .otherEpoch(newest), "\(second)") {
                try verifier.verify(first, "GET", "/")
            }
        }
        #expect(throws: NodeRefusal.otherEpoch(newest)) { try verifier.verify(late, "GET", "/") }
    }

    @Test("After a silence, each request has to be signed again")
    func silence() throws {
        let time = Mutex<Int64>(0)
        let verifier = NodeSignature(secret: Self.secret, log: "log.example/tea", epoch: Self.epoch) { time.withLock { $0 } }
        let header = verifier.header("GET", "/", epoch: Self.epoch)
        time.withLock { $0 = 120 }
        let newest = #expect(throws: NodeRefusal.self) { try verifier.verify(header, "GET", "/") }?.newest
        #expect(newest.map { $0 != Self.epoch && $0 != 0 } == true)
    }

    @Test("Nonces are bounded by a new epoch, and none of the last epoch is forgotten")
    func bounded() throws {
        var window = NonceWindow(epoch: 1, at: 0)
        for number in 0..<UInt128(Limits.noncesMax) { _ = try window.insert(number, of: 1, at: 0) }
        let refusal = #expect(throws: NodeRefusal.self) { try window.insert(.max, of: 1, at: 0) }
        let newest = try #require(refusal?.newest)
        #expect(window.has(1) && window.has(newest) && newest != 1)
        for number in 0..<UInt128(Limits.noncesMax) { _ = try window.insert(number, of: newest, at: 0) }
        #expect(window.count == 2 * Limits.noncesMax)
        #expect(throws: NodeRefusal.self) { try window.insert(.max, of: newest, at: 0) }
        #expect(window.count == Limits.noncesMax && !window.has(1) && window.has(newest))
        #expect(throws: NodeRefusal.self) { try window.insert(0, of: newest, at: 0) }
    }
}

extension NodeRefusal {
    fileprivate var newest: UInt64? { if case .otherEpoch(let newest) = self { newest } else { nil } }
}

@Suite("Addresses of nodes")
struct NodeAddressTests {
    @Test(
        "An address is a scheme, a host and perhaps a port",
        arguments: [
            ("http://node2", "http://node2"), ("https://node2.example:8443/", "https://node2.example:8443"),
            ("http://[2001:db8::1]:8080", "http://[2001:db8::1]:8080"), ("http://127.0.0.1:1", "http://127.0.0.1:1"),
        ])
    func accepted(_ text: String, _ node: String) throws {
        #expect(try NodeAddress(text).description == node)
    }

    @Test(
        "Anything else is refused by name",
        arguments: [
            "", "node2", "node2:8080", "ftp://node2", "http://", "http://:80", "http://node2/api", "http://node2?x", "http://node2#x",
            "http://me:secret@node2", "http://node2:0", "http://node2:65536", "http://node 2", "HTTP//node2",
        ])
    func refused(_ text: String) {
        #expect(throws: NodeError.badAddress(text)) { try NodeAddress(text) }
    }

    @Test(
        "Only a path that every URL keeps is forwarded",
        arguments: [
            ("/v1/stamps", true), ("/v1/stamps?a=%E5%A5%BD&b=1", true), ("//v1/stamps", true), ("v1/stamps", false), ("/a#b", false),
            ("/a b", false), ("/a|b", false), ("/好", false), ("*", false), ("", false),
        ])
    func targets(_ target: String, _ isAllowed: Bool) {
        #expect(ForwardedRequest.allows(target) == isAllowed)
    }
}
