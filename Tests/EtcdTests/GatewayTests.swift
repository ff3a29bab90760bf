import EventLog
import Merkle
import NIOCore
import Testing

@testable import Etcd

/// Endpoints that are slow, silent or not etcd.
@Suite(.timeLimit(.minutes(15))) struct GatewayTests {
    /// An empty range.
    private static let nothing = #"{"header":{"revision":"1"}}"#

    @Test("An answer without etcd's header is no empty log", arguments: ["{}", #"{"kvs":[]}"#, "[]", "", "null"])
    func foreignAnswers(_ answer: String) throws {
        let fake = try FakeEndpoint(answers: answer)
        let log = try EtcdServer.log(at: [fake.endpoint])
        let first = Head(term: 1, writer: try .named("a"), process: 1, position: .start, root: TreeHasher.emptyRoot)
        let acts: [() throws -> Void] = [
            { _ = try log.head() }, { _ = try log.entries(after: .start, bytes: 1) }, { _ = try log.claim(replacing: nil, as: first) },
        ]
        for act in acts { #expect(code(act) == .unreachable) }
        #expect(fake.requests.count == 3)
        let other = try FakeEndpoint(answers: Self.nothing)
        #expect(try EtcdServer.log(at: [fake.endpoint, other.endpoint]).head() == nil)
        #expect(other.requests.count == 1)
    }

    @Test("One member of a version that can lose data is refused by name, whichever endpoint it has")
    func refusedVersion() throws {
        let good = try FakeEndpoint(answers: #"{"etcdserver":"3.5.14"}"#), bad = try FakeEndpoint(answers: #"{"etcdserver":"3.5.13"}"#)
        for endpoints in [[good, bad], [bad, good]] {
            let log = try EtcdServer.log(at: endpoints.map(\.endpoint))
            #expect(throws: EtcdFault.refusedVersion("3.5.13")) { try log.check() }
        }
        #expect(EventLogError(.refusedVersion("3.5.13")).code == .storage, "no node starts")
    }

    @Test("A call ends in time however many endpoints are silent")
    func silence() throws {
        let silent = try (1...9).map { _ in try FakeEndpoint() }
        let log = try EtcdServer.log(at: silent.map(\.endpoint), seconds: 0.4)
        #expect(code { _ = try log.head() } == .unreachable)
        // Each has its own 0.4 s, and the call 0.9 s.
        #expect(silent.count { !$0.requests.isEmpty } <= 3)
        let settings = try EtcdSettings(endpoints: [silent[0].endpoint])
        #expect(settings.callSeconds < 5)
    }

    @Test("After a slow answer, the next endpoint is asked, and it stays so while that is fast")
    func slowEndpoint() throws {
        let slow = try FakeEndpoint(answers: Self.nothing, after: .milliseconds(2_100)), fast = try FakeEndpoint(answers: Self.nothing)
        let log = try EtcdServer.log(at: [slow.endpoint, fast.endpoint], seconds: 8)
        for _ in 1...4 { #expect(try log.head() == nil) }
        #expect(slow.requests.count == 1 && fast.requests.count == 3)
    }

    @Test("After a failed read of entries, one is asked for, and more with each answer")
    func pageSize() throws {
        let empty = #"{"header":{"revision":"1"},"responses":[{"response_range":{"header":{}}},{"response_range":{"header":{}}}]}"#
        let fake = try FakeEndpoint(answers: "{}", empty)
        let log = try EtcdServer.log(at: [fake.endpoint])
        // The watch that follows an empty page ends at once.
        for _ in 1...6 { #expect(code { _ = try log.entries(after: .start, bytes: 1 << 20) } == .unreachable) }
        let limits = fake.requests.compactMap { $0.firstMatch(of: /"limit":([0-9]+)/)?.1 }
        #expect(limits == ["8", "1", "2", "4", "8", "8"])
    }
}
