import EventLog
import Merkle
import Testing

@testable import Etcd

/// A network that loses requests and answers between this program and a real etcd.
@Suite(.enabled(if: EtcdServer.isThere, EtcdServer.isMissing), .sharedEtcd, .timeLimit(.minutes(15))) struct LostAnswerTests {
    private let proxy: LossyProxy
    private let log: EtcdLog
    private let first: Head

    init() async throws {
        proxy = try await LossyProxy(to: SharedEtcd.endpoint)
        log = try EtcdServer.log(at: [proxy.endpoint])
        first = Head(term: 1, writer: try .named("a"), process: 1, position: .start, root: TreeHasher.emptyRoot)
    }

    @Test("A claim whose answer is lost has an unknown outcome, and is found in the head")
    func answerLost() throws {
        proxy.loseNext(.answer)
        #expect(code { _ = try log.claim(replacing: nil, as: first) } == .unreachable)
        #expect(try log.head() == first)
        #expect(try log.claim(replacing: nil, as: first) == .superseded(first))
    }

    @Test("A claim that is lost has an unknown outcome, too, and can be sent again")
    func requestLost() throws {
        proxy.loseNext(.request)
        #expect(code { _ = try log.claim(replacing: nil, as: first) } == .unreachable)
        #expect(try log.head() == nil)
        #expect(try log.claim(replacing: nil, as: first) == .durable)
    }

    @Test("A write whose answer is lost is not sent to another endpoint; a read is")
    func notSentTwice() throws {
        let log = try EtcdServer.log(at: [proxy.endpoint, SharedEtcd.endpoint])
        proxy.loseNext(.answer)
        #expect(code { _ = try log.claim(replacing: nil, as: first) } == .unreachable)
        // The other endpoint is asked from now on.
        #expect(try log.head() == first)
        let again = try EtcdServer.log(at: [proxy.endpoint, SharedEtcd.endpoint])
        proxy.loseNext(.answer)
        #expect(try again.head() == nil)
    }

    @Test("An endpoint that is down is passed over, also by a write")
    func oneIsDown() throws {
        let down = "http://127.0.0.1:1"
        let log = try EtcdServer.log(at: [down, SharedEtcd.endpoint])
        #expect(try log.claim(replacing: nil, as: first) == .durable)
        #expect(try log.head() == first)
        #expect(try log.check().contains { $0.contains(down) })
    }

    @Test("Without any endpoint, a call is unanswered, and the check says why")
    func allAreDown() throws {
        let log = try EtcdServer.log(at: ["http://127.0.0.1:1", "http://127.0.0.1:2"])
        #expect(code { _ = try log.head() } == .unreachable)
        let fault = #expect(throws: EtcdFault.self) { try log.check() }
        #expect("\(fault.map { "\($0)" } ?? "")".contains("127.0.0.1:2"))
    }

    @Test("A member that is frozen is given up after the request's time, and the outcome is unknown")
    func frozen() throws {
        let server = try EtcdServer()
        let log = try EtcdServer.log(at: [server.endpoint], seconds: 0.5)
        try server.freeze(true)
        #expect(code { _ = try log.head() } == .unreachable)
        try server.freeze(false)
        server.end()
        #expect(code { _ = try log.head() } == .unreachable)
    }
}
