import EventLog
import Foundation
import Loyalty
import LoyaltyCodec
import Patience
import SharedLogs
import Synchronization
import Testing

@testable import CommandService
@testable import Composition

/// The choice among the other nodes of a cluster.
@Suite(.fewAtOnce, .timeLimit(.minutes(15))) struct PeersTests {
    private static let account = AccountID(7)

    private let (c, d): (NodeName, NodeName)

    init() throws { (c, d) = (try #require(NodeName("c")), try #require(NodeName("d"))) }

    @Test("A delivery goes to nodes without hindrance first, then to the one with the newest log, until one has stored it")
    func order() throws {
        let nodes = ["http://b", "http://c", "http://d"].map { ScriptedPeer($0) }
        let asked = Mutex<[String]>([])
        let refusing = Mutex(Set(["http://c", "http://d"]))
        for node in nodes {
            node.keep { [url = node.url] _, _, _ in
                asked.withLock { $0.append(url) }
                if refusing.withLock({ $0.contains(url) }) { throw KeyRowsError.receiverWrites }
            }
        }
        let site = try Site()
        let peers = Peers(nodes, of: site.service)
        peers.update(
            .of(
                .test(.b, "http://b", position: 9, hindrance: "no room"), .test(c, "http://c", position: 5),
                .test(d, "http://d", position: 7)), term: 2)
        try peers.courier(term: 2).deliver(keysOf: [Self.account])
        #expect(asked.withLock { $0 } == ["http://d", "http://c", "http://b"])
        refusing.withLock { _ = $0.insert("http://b") }
        let all = ["d", "c", "b"].map { "\($0): \(KeyRowsError.receiverWrites)" }.joined(separator: "; ")
        #expect(throws: CourierError.noPeer(all)) { try peers.courier(term: 2).deliver(keysOf: [Self.account]) }
        #expect(throws: CourierError.noPeer("term 2 writes now")) { try peers.courier(term: 1).deliver(keysOf: [Self.account]) }
        #expect(asked.withLock { $0.count } == 6)
    }

    @Test("A node whose refusal takes long is not asked first again")
    func slow() throws {
        let (slow, other) = (ScriptedPeer("http://b"), ScriptedPeer("http://c"))
        slow.keep { _, _, _ in
            Thread.sleep(forTimeInterval: 1.1)
            throw KeyRowsError.receiverWrites
        }
        let site = try Site()
        let peers = Peers([slow, other], of: site.service)
        let view = PresenceView.of(.test(.b, "http://b"), .test(c, "http://c"))
        peers.update(view, term: 1)
        // On a busy machine, the first one has no time left for the other node.
        try? peers.courier(term: 1).deliver(keysOf: [Self.account])
        peers.update(view, term: 1)
        let delivered = other.deliveries.count
        try peers.courier(term: 1).deliver(keysOf: [Self.account])
        #expect(slow.deliveries.count == 1 && other.deliveries.count == delivered + 1)
    }

    @Test("More holders than one message may have are delivered in several")
    func pages() throws {
        let (site, peer) = (try Site(), ScriptedPeer())
        let peers = Peers([peer], of: site.service)
        peers.update(.of(.test(.b, peer.url)), term: 1)
        try peers.courier(term: 1).deliver(keysOf: (1...501).map { AccountID(UInt128($0)) })
        #expect(peer.deliveries.map(\.holders.count) == [500, 1])
    }

    @Test("The writer's answer is final for people who are not registered, and other nodes are asked for the keys of all others")
    func missingKeys() async throws {
        let (site, other) = (try Site(), try Site())
        let account = try await site.service.register(phone(1)).id
        try lose(account, at: site, to: other)
        let (writer, second) = (ScriptedPeer("http://b", over: site.service), ScriptedPeer("http://c", over: other.service))
        let peers = Peers([writer, second], lacking: site.service.lacking)
        peers.update(.of(.test(.b, "http://b"), .test(c, "http://c", position: 9), writer: .b), term: 1)
        #expect(try site.service.keyStore.absent(in: peers.rows(of: [Self.account])) == [Self.account])
        #expect(writer.questions == 1 && second.questions == 0)
        #expect(try site.service.keyStore.absent(in: peers.rows(of: [account])).isEmpty)
        #expect(writer.questions == 2 && second.questions == 1)
    }

    /// Moves the account's key to another node. That one also has the key of somebody who is not registered.
    private func lose(_ account: AccountID, at site: Site, to other: Site) throws {
        let store = other.service.keyStore
        _ = try store.adopt(site.service.keyRows(of: [account]), of: [account], asOf: .start) { _ in false }
        _ = try store.makeKey(for: Self.account)
        try site.service.keyStore.destroyKey(of: account)
    }

    @Test("Keys of which each node has another one are all found before the events count as followed")
    func scattered() async throws {
        let (site, others) = (try Site(), [try Site(), try Site()])
        var accounts: [AccountID] = []
        for number in 1...3 { accounts.append(try await site.service.register(phone(number)).id) }
        // An answer of a shorter log would be refused. At the same time, the others would make the same ids.
        for (number, other) in others.enumerated() {
            other.clock.move(bySeconds: Int64(number) + 1)
            for number in 4...6 { _ = try await other.service.register(phone(number)) }
        }
        let node = try Follower(of: site, isStarted: false)
        try node.adopt()
        for (account, other) in zip(accounts, others) { try lose(account, at: site, to: other) }
        let services = [site.service] + others.map(\.service), urls = ["http://b", "http://c", "http://d"]
        let peers = Peers(zip(urls, services).map { ScriptedPeer($0, over: $1) }, lacking: site.service.lacking)
        peers.update(.of(.test(.b, urls[0]), .test(c, urls[1]), .test(d, urls[2])), term: 1)
        let events = try started(node, peers)
        try await eventually("all events are followed") { events.status.position == node.log.head }
        stop(events)
        #expect(try node.keyStore.lacking(Set(accounts)).isEmpty)
        try node.close()
    }

    private func started(_ node: Follower, _ peers: Peers) throws -> FollowedEvents {
        let events = try FollowedEvents(log: node.log, keyStore: node.keyStore, peer: peers, acts: .init())
        events.start()
        return events
    }

    private func stop(_ events: FollowedEvents) { events.stop() }

    @Test("If the writer gives no answer, other nodes do")
    func silentWriter() throws {
        let site = try Site()
        let (writer, second) = (ScriptedPeer("http://b"), ScriptedPeer("http://c", over: site.service))
        let peers = Peers([writer, second], lacking: site.service.lacking)
        peers.update(.of(.test(.b, "http://b"), writer: .b), term: 1)
        #expect(throws: EventLogError.self) { try peers.rows(of: [Self.account]) }
        #expect(throws: EventLogError.self) { try peers.picture(ImageID(1)) }
        peers.update(.of(.test(.b, "http://b"), .test(c, "http://c"), writer: .b), term: 1)
        #expect(try site.service.keyStore.absent(in: peers.rows(of: [Self.account])) == [Self.account])
        // Only the writer knows that there is no such picture.
        #expect(throws: EventLogError.self) { try peers.picture(ImageID(1)) }
        peers.update(.of(.test(.b, "http://b"), .test(c, "http://c"), writer: c), term: 1)
        #expect(try peers.picture(ImageID(1)) == nil)
    }

    @Test("Entries come from a node that has them")
    func entries() async throws {
        let site = try Site()
        _ = try await site.service.register(phone(1))
        let head = site.service.log.head
        let (behind, ahead) = (ScriptedPeer("http://b"), ScriptedPeer("http://c", over: site.service))
        let peers = Peers([behind, ahead])
        peers.update(.of(.test(.b, "http://b")), term: 1)
        #expect(throws: EventLogError.self) { try peers.entries(after: .start, bytes: 1_000) }
        peers.update(.of(.test(.b, "http://b"), .test(c, "http://c", position: head.rawValue), writer: .b), term: 1)
        #expect(try peers.entries(after: .start, bytes: 1_000).count == 1)
        #expect(behind.questions == 0 && ahead.questions == 1)
        #expect(throws: EventLogError.self) { try peers.entries(after: head, bytes: 1_000) }
    }

    @Test("A node with another address is another client, one that seems gone is kept for a while, and all end with this node")
    func clients() throws {
        let nodes = ["http://b", "http://b2"].map { ScriptedPeer($0) }
        let peers = Peers(nodes)
        peers.update(.of(.test(.b, "http://b"), writer: .b), term: 1)
        #expect(peers.writer?.url == "http://b")
        peers.update(.of(.test(.b, "http://b2"), writer: .a), term: 1)
        #expect(peers.writer == nil && nodes.map(\.isStopped) == [true, false])
        peers.update(.of(), term: 1)
        try peers.courier(term: 1).deliver(keysOf: [Self.account])
        #expect(nodes[1].deliveries.count == 1 && !nodes[1].isStopped)
        peers.stop()
        #expect(nodes[1].isStopped)
    }
}
