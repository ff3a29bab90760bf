import EventLog
import Foundation
import Merkle
import Testing

@testable import Etcd

/// Refusals, as a real etcd sends them.
@Suite(.enabled(if: EtcdServer.isThere, EtcdServer.isMissing), .timeLimit(.minutes(15))) struct EtcdRefusalTests {
    private func value(bytes: Int) -> PutRequest { PutRequest(key: Data("/greentea/x".utf8), value: Data(count: bytes)) }

    @Test("A full database is named, and leaves the outcome unknown; reads and trims go on")
    func noSpace() throws {
        let server = try EtcdServer(["--quota-backend-bytes", "4194304"])
        let log = try EtcdServer.log(at: [server.endpoint])
        let first = Head(term: 1, writer: try .named("a"), process: 1, position: .start, root: TreeHasher.emptyRoot)
        #expect(try log.claim(replacing: nil, as: first) == .durable)
        let fault = #expect(throws: EtcdFault.self) {
            for _ in 1...50 { _ = try log.gateway.ask("/v3/kv/put", value(bytes: 200_000), .once) }
        }
        #expect(fault == .noSpace)
        let second = Head(term: 2, writer: first.writer, process: 1, position: .start, root: TreeHasher.emptyRoot)
        let error = #expect(throws: EventLogError.self) { try log.claim(replacing: first, as: second) }
        #expect(error?.code == .unreachable)
        #expect(error?.description.contains("NOSPACE") == true)
        #expect(try log.head() == first)
        try log.trim(through: Position(1))
        let again = #expect(throws: EtcdFault.self) { try log.gateway.ask("/v3/kv/compaction", ["revision": "2"], .once) }
        #expect("\(again.map { "\($0)" } ?? "")".contains("compacted"), "the trim has compacted more")
        #expect(try log.check().contains(EtcdFault.noSpace.description))
        #expect(try log.status().map(\.alarms) == [["NOSPACE"]])
        #expect(try log.status().map(\.roomFault) == [EtcdFault.noSpace.description])
    }

    @Test("A request that is too large is refused by name, and is not unanswered")
    func tooLarge() throws {
        let server = try EtcdServer()
        let log = try EtcdServer.log(at: [server.endpoint])
        for bytes in [1_600_000, 3_000_000] {
            #expect(throws: EtcdFault.tooLarge) { try log.gateway.ask("/v3/kv/put", value(bytes: bytes), .once) }
        }
        #expect(EventLogError(.tooLarge).code != .unreachable)
    }

    @Test("User and password are checked, and a token that a restarted check refuses is made again")
    func users() throws {
        let server = try EtcdServer()
        let admin = try EtcdServer.log(at: [server.endpoint])
        let log = try EtcdServer.log(at: [server.endpoint], user: ("root", "secret"))
        #expect(throws: EtcdFault.usersDisabled) { try log.check() }
        try admin.gateway.enableUsers()
        #expect(throws: EtcdFault.noUser) { try admin.check() }
        #expect(throws: EtcdFault.wrongPassword) {
            try EtcdServer.log(at: [server.endpoint], user: ("root", "wrong")).check()
        }
        #expect(throws: EtcdFault.forbidden(user: "guest")) {
            try EtcdServer.log(at: [server.endpoint], user: ("guest", "secret")).check()
        }
        _ = try log.check()
        let first = Head(term: 1, writer: try .named("a"), process: 1, position: .start, root: TreeHasher.emptyRoot)
        #expect(try log.claim(replacing: nil, as: first) == .durable)
        log.gateway.replaceToken("forgotten.1")
        let second = Head(term: 2, writer: first.writer, process: 1, position: .start, root: TreeHasher.emptyRoot)
        #expect(try log.claim(replacing: first, as: second) == .durable)
    }
}

/// Versions, addresses and answers, without a server.
@Suite struct EtcdFaultTests {
    @Test(
        "Versions that can lose data are refused, those with known faults warned of",
        arguments: [
            ("3.5.0", true), ("3.5.13", true), ("3.5.0-rc.1", true), ("3.3.25", true), ("2.3.8", true), ("3.5.14", false), ("3.6.0", false),
            ("3.4.32", false), ("3.4.31", nil), ("3.4.23+git", nil), ("4.0.0", nil), ("", nil), ("3.5", nil), ("3.x.1", nil),
        ] as [(String, Bool?)])
    func versions(_ version: String, _ isRefused: Bool?) {
        let verdict = EtcdVersion.verdict(version)
        switch isRefused {
        case true?: #expect(verdict == .refused)
        case false?: #expect(verdict == .accepted)
        case nil: #expect(verdict != .refused && verdict != .accepted)
        }
    }

    @Test(
        "An answer that does not say that nothing was done leaves the outcome unknown",
        arguments: [
            (503, 14, "etcdserver: request timed out"), (503, 14, "etcdserver: leader changed"), (503, 14, "etcdserver: no leader"),
            (500, 2, "context deadline exceeded"), (429, 8, "etcdserver: too many requests"), (504, 4, "deadline"), (502, nil, ""),
            (404, nil, "Not Found"), (429, 8, "etcdserver: mvcc: database space exceeded"), (412, 9, "etcdserver: not leader"),
            (500, 13, "internal"), (200, 0, ""), (409, 10, "aborted"), (401, 16, "etcdserver: invalid auth token"),
            (404, 5, "etcdserver: requested lease not found"),
        ] as [(Int, Int?, String)])
    func unknown(_ status: Int, _ code: Int?, _ message: String) {
        let fault = EtcdFault(status: status, code: code, message: message, user: nil, at: "")
        #expect(EventLogError(fault).code == .unreachable)
    }

    @Test(
        "A refusal is final",
        arguments: [
            (400, 3, "etcdserver: request is too large"), (400, 3, "etcdserver: user name is empty"), (400, 3, "etcdserver: duplicate key"),
            (400, 3, "etcdserver: authentication failed, invalid user ID or password"), (403, 7, "etcdserver: permission denied"),
            (400, nil, "CommonName of client sending a request against gateway will be ignored"),
            (400, 11, "etcdserver: mvcc: required revision has been compacted"),
            (429, 8, "grpc: received message larger than max (3000010 vs. 2097152)"), (501, 12, "Not Implemented"),
            (412, 9, "etcdserver: authentication is not enabled"),
        ] as [(Int, Int?, String)])
    func refused(_ status: Int, _ code: Int?, _ message: String) {
        let fault = EtcdFault(status: status, code: code, message: message, user: "u", at: "")
        #expect(EventLogError(fault).code != .unreachable)
    }

    @Test("A long text in an answer is cut")
    func longText() {
        let fault = EtcdFault(status: 400, code: 3, message: String(repeating: "x", count: 100_000), user: nil, at: "")
        #expect(fault.description.count < 300)
    }

    @Test("What answers and is no client address of etcd, and an empty address, are named")
    func foreignAnswer() {
        let fault = EtcdFault(status: 404, code: nil, message: "404 page not found", user: nil, at: "http://a:2380")
        #expect(fault.description.contains("http://a:2380: status 404, so this is not etcd's address for clients"))
        #expect(EtcdFault.badAddress("").description.hasPrefix("a comma without an address"))
    }

    @Test(
        "Addresses are checked before the first request",
        arguments: ["", "127.0.0.1:2379", "ftp://a:1", "http://", "http://a:1/v3", "http://u:p@a:1", "http://a:1?x"])
    func addresses(_ address: String) {
        #expect(throws: EtcdFault.badAddress(address)) { try EtcdSettings(endpoints: ["http://a:1", address]) }
    }

    @Test(
        "A password is sent in clear to this machine only",
        arguments: [
            ("http://etcd-1:2379", true), ("http://10.0.0.1:2379", true), ("http://127.0.0.1.example:2379", true),
            ("http://127.example.0.1:2379", true), ("https://etcd-1:2379", false), ("http://127.0.0.1:2379", false),
            ("http://localhost:2379", false), ("http://[::1]:2379", false),
        ])
    func passwordInClear(_ address: String, _ isRefused: Bool) throws {
        _ = try EtcdSettings(endpoints: [address])
        let settings = Result { try EtcdSettings(endpoints: [address], user: ("greentea", "secret")) }
        if isRefused { #expect(throws: EtcdFault.passwordInClear(address)) { try settings.get() } } else { _ = try settings.get() }
    }

    @Test("A password in an address is not shown")
    func passwordInAddress() {
        let text = EtcdFault.badAddress("https://root:secret@etcd-1:2379").description
        #expect(!text.contains("secret") && text.contains("@etcd-1:2379"), "\(text)")
    }

    @Test("No address, and more than etcd should have members, are refused")
    func addressCount() {
        for count in [0, 10] {
            #expect(throws: EtcdFault.self) { try EtcdSettings(endpoints: Array(repeating: "http://a:1", count: count)) }
        }
    }

    @Test("A file without a certificate is named")
    func files() {
        #expect(throws: EtcdFault.badFile("/nowhere/a.pem")) {
            try EtcdSettings(endpoints: ["https://a:1"], files: .init(authority: nil, certificate: "/nowhere/a.pem"))
        }
    }
}
