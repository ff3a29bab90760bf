import Synchronization
import Testing

@testable import Nodes

@Suite("Signatures of nodes")
struct NodeSignatureTests {
    private static let secret = [UInt8](0..<32)
    private static let now: Int64 = 1_764_460_000_000
    private static let body = Array(#"{"code":"x"}"#.utf8)

    private static func signature(
        _ secret: [UInt8] = secret, log: String = "log.example/tea", at milliseconds: Int64 = now
    ) -> NodeSignature {
        NodeSignature(secret: secret, log: log) { milliseconds }
    }

    /// Python's hmac and hashlib made it.
    @Test("A header that another program has made is accepted, with its client and its body")
    func golden() throws {
        let header =
            "1,1764460000000,000102030405060708090a0b0c0d0e0f,f42e4b803d8d73ab5361154c7690b639e5513aca72a7d1df1c77d7e8440db109,203.0.113.7,"
            + "4f4bcc36bf79595dacd20f14f46cfb0625434812725797d1984094780d990b44"
        let signed = try Self.signature().verify(header, "POST", "/v1/stamps?a=1")
        #expect(signed.client == "203.0.113.7")
        #expect(signed.covers(Self.body) && !signed.covers([]) && !signed.covers(Self.body + [32]))
    }

    @Test("A request without a client has none, and an empty body is signed, too")
    func plain() throws {
        let signature = Self.signature()
        let signed = try signature.verify(signature.header("GET", "/node/log?after=0"), "GET", "/node/log?after=0")
        #expect(signed.client == nil && signed.covers([]) && !signed.covers([0]))
    }

    @Test(
        "A signature of another secret, log, method, path or query is unknown",
        arguments: [
            (signature(Array(1...32)), "GET", "/node/log?after=0"), (signature(log: "log.example/coffee"), "GET", "/node/log?after=0"),
            (signature(), "POST", "/node/log?after=0"), (signature(), "GET", "/node/log?after=1"), (signature(), "GET", "/node/log"),
        ])
    func unknown(_ signer: NodeSignature, _ method: String, _ target: String) {
        let header = signer.header(method, target)
        #expect(throws: NodeRefusal.unknown) { try Self.signature().verify(header, "GET", "/node/log?after=0") }
    }

    @Test("A header with any one character changed is refused")
    func eachCharacter() {
        let (signer, target) = (Self.signature(), "/node/log")
        let header = Array(signer.header("GET", target, body: Self.body, for: "203.0.113.7").utf8)
        for index in header.indices {
            var changed = header
            changed[index] = changed[index] == UInt8(ascii: "0") ? UInt8(ascii: "1") : UInt8(ascii: "0")
            #expect(throws: NodeRefusal.unknown, "\(index)") {
                try signer.verify(String(decoding: changed, as: UTF8.self), "GET", target)
            }
        }
    }

    @Test("Text that is no signature is unknown", arguments: ["", ",", "1", "1,2,3,4,5,6", String(repeating: "1,", count: 400)])
    func nonsense(_ text: String) {
        #expect(throws: NodeRefusal.unknown) { try Self.signature().verify(text, "GET", "/") }
    }

    @Test(
        "A clock may differ by a minute, and a larger difference is named",
        arguments: [(-60_000, true), (60_000, true), (-60_001, false), (61_500, false), (-86_400_000, false)])
    func clock(_ ahead: Int64, _ isAccepted: Bool) {
        let header = Self.signature(at: Self.now + ahead).header("GET", "/node/log")
        let verifier = Self.signature()
        guard !isAccepted else {
            #expect(throws: Never.self) { try verifier.verify(header, "GET", "/node/log") }
            return
        }
        #expect(throws: NodeRefusal.clock(aheadMilliseconds: ahead)) { try verifier.verify(header, "GET", "/node/log") }
        #expect(NodeRefusal.clock(aheadMilliseconds: ahead).description.contains("\(ahead.magnitude / 1_000) s"))
    }

    @Test("A request is accepted once as long as its time is accepted")
    func repeated() throws {
        let time = Mutex(Self.now)
        let verifier = NodeSignature(secret: Self.secret, log: "log.example/tea") { time.withLock { $0 } }
        for ahead in [-60_000, 0, 60_000] as [Int64] {
            time.withLock { $0 = Self.now }
            let header = Self.signature(at: Self.now + ahead).header("GET", "/")
            _ = try verifier.verify(header, "GET", "/")
            for later in stride(from: 0, through: ahead + 60_000, by: 10_000) {
                time.withLock { $0 = Self.now + later }
                #expect(throws: NodeRefusal.repeated) { try verifier.verify(header, "GET", "/") }
                _ = try verifier.verify(verifier.header("GET", "/"), "GET", "/")
            }
        }
    }

    @Test("Nonces are forgotten after their time, and none is forgotten before to make room")
    func bounded() throws {
        var window = NonceWindow()
        for number in 0..<UInt128(Limits.noncesMax) { try window.insert(number, at: Self.now, now: Self.now) }
        #expect(throws: NodeRefusal.tooMany) { try window.insert(.max, at: Self.now, now: Self.now) }
        #expect(window.count == Limits.noncesMax)
        try window.insert(.max, at: Self.now + 180_000, now: Self.now + 180_000)
        #expect(window.count == 1)
    }
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
