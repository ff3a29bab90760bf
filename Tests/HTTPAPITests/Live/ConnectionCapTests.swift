import CommandService
import Composition
import Glibc
import Logging
import NIOCore
import NIOEmbedded
import Nodes
import Prometheus
import Testing

@testable import HTTPAPI

@Suite("Connection caps", .timeLimit(.minutes(15)))
struct ConnectionCapTests {
    private static func address(_ text: String) throws -> ClientAddress { try #require(ClientAddress(text)) }

    private let clock = TestClock()

    // MARK: Counts of connections

    @Test("Each address, each network and the whole server have a cap, and a closed connection frees its place")
    func counts() throws {
        var counts = ConnectionCounts(ConnectionCaps(total: 10, perAddress: 2, perNetwork: 3))
        func admit(_ address: ClientAddress?) -> ConnectionRefusal? { counts.admit(address, at: clock.steady()) }
        let four = try Self.address("203.0.113.5")
        #expect(admit(four) == nil && admit(four) == nil && admit(four) == .address)
        let six = try (0..<5).map { try Self.address("2001:db8:7:\($0)::1") }
        #expect(admit(six[0]) == nil && admit(six[1]) == nil && admit(six[2]) == nil)
        #expect(admit(six[3]) == .network)
        #expect(admit(try Self.address("2001:db8:8::1")) == nil)
        for _ in 0..<4 { #expect(admit(nil) == nil) }
        let other = try Self.address("203.0.113.6")
        #expect(counts.total == 10 && admit(other) == .total)
        counts.release(six[0])
        #expect(admit(six[3]) == nil)
        counts.release(four)
        #expect(admit(four) == nil && admit(four) == .total)
    }

    @Test("An address that opens connections too fast is refused, even if it has none open, and other addresses are not")
    func rate() throws {
        let caps = ConnectionCaps(total: 1_000, perAddress: 100, perNetwork: nil, opening: Allowance(5, perSeconds: 10))
        var counts = ConnectionCounts(caps)
        let (fast, other) = (try Self.address("203.0.113.5"), try Self.address("203.0.113.6"))
        for _ in 0..<5 {
            #expect(counts.admit(fast, at: clock.steady()) == nil)
            counts.release(fast)
        }
        #expect(counts.admit(fast, at: clock.steady()) == .rate && counts.total == 0)
        #expect(counts.admit(other, at: clock.steady()) == nil && counts.admit(nil, at: clock.steady()) == nil)
        clock.advance(seconds: 2)
        #expect(counts.admit(fast, at: clock.steady()) == nil)
        #expect(counts.admit(fast, at: clock.steady()) == .rate)
    }

    @Test("A network opens connections at four times an address's rate, however many of its addresses it uses")
    func networkRate() throws {
        let caps = ConnectionCaps(total: 1_000, perAddress: 100, perNetwork: nil, opening: Allowance(5, perSeconds: 10))
        var counts = ConnectionCounts(caps)
        let six = try (0..<22).map { try Self.address("2001:db8:7:\($0)::1") }
        for address in six.prefix(20) { #expect(counts.admit(address, at: clock.steady()) == nil) }
        #expect(counts.admit(six[20], at: clock.steady()) == .rate && counts.total == 20)
        #expect(counts.admit(try Self.address("2001:db8:8::1"), at: clock.steady()) == nil, "another network may still connect")
        // A rejected connection consumes no tokens of its address or its network.
        for _ in 0..<5 { #expect(counts.admit(six[20], at: clock.steady()) == .rate) }
        clock.advance(seconds: 1)
        #expect(counts.admit(six[20], at: clock.steady()) == nil && counts.admit(six[20], at: clock.steady()) == nil)
        #expect(counts.admit(six[21], at: clock.steady()) == .rate)
    }

    @Test("The standard caps limit the opening rate, and the caps behind a proxy and in development do not")
    func rates() {
        let caps = ConnectionCaps.standard
        #expect(caps.opening != nil && caps.sharedByAll.opening == nil && caps.openedAtAnyRate.opening == nil)
        #expect(caps.openedAtAnyRate.perAddress == caps.perAddress && caps.openedAtAnyRate.perNetwork == caps.perNetwork)
    }

    @Test("An address that opens connections at its steady rate and leaves them idle stays below its cap")
    func steadyRate() throws {
        let opening = try #require(ConnectionCaps.standard.opening)
        #expect(Int64(opening.burst) * Limits.idleSeconds / opening.periodSeconds <= Int64(Limits.connectionsPerAddressMax))
        #expect(opening.burst <= Limits.connectionsPerAddressMax)
    }

    @Test("A client without connections is not remembered")
    func memory() throws {
        var counts = ConnectionCounts(ConnectionCaps(total: 1_000, perAddress: 2, perNetwork: 3))
        let clients = try (0..<300).map { try Self.address("2001:db8:\($0)::1") }
        for client in clients { #expect(counts.admit(client, at: clock.steady()) == nil) }
        #expect(counts.clientCount == 600)
        for client in clients { counts.release(client) }
        #expect(counts.clientCount == 0 && counts.total == 0)
    }

    @Test("The caps stay well below the limit of file descriptors, and a limit that is too low yields no caps")
    func fitting() throws {
        #expect(ConnectionCaps.fitting(descriptors: ConnectionCaps.descriptorsMin - 1) == nil)
        for descriptors in [ConnectionCaps.descriptorsMin, 1_024, 4_096, 20_000, 1 << 20] {
            let caps = try #require(ConnectionCaps.fitting(descriptors: descriptors))
            #expect(caps.total <= descriptors - 512 && caps.total >= 128)
            #expect(try #require(caps.perAddress) <= caps.total / 8)
            #expect(try #require(caps.perNetwork) <= caps.total / 4)
            #expect(caps.sharedByAll.perAddress == nil && caps.sharedByAll.total == caps.total)
        }
        #expect(ConnectionCaps.fitting(descriptors: ConnectionCaps.descriptorsWanted) == .standard)
    }

    @Test("The connections to other nodes leave those of clients alone, and each other node may open as many to this one")
    func peers() throws {
        let least = ConnectionCaps.descriptorsMin + ConnectionCaps.descriptors(forPeers: 2)
        #expect(ConnectionCaps.fitting(descriptors: least - 1, peers: 2) == nil)
        for descriptors in [least, 1_152, 4_096, 1 << 20] {
            let caps = try #require(ConnectionCaps.fitting(descriptors: descriptors, peers: 2))
            let alone = try #require(ConnectionCaps.fitting(descriptors: descriptors - 2 * NodeClient.connectionsMax))
            #expect(caps.total == alone.total && caps.opening == alone.opening)
            #expect(caps.perAddress == alone.perAddress.map { max($0, NodeClient.connectionsMax) })
            #expect(caps.perNetwork == alone.perNetwork.map { max($0, 2 * NodeClient.connectionsMax) })
        }
        let wanted = ConnectionCaps.descriptorsWanted + ConnectionCaps.descriptors(forPeers: 2)
        #expect(ConnectionCaps.fitting(descriptors: wanted, peers: 2) == .standard)
        let opening = try #require(ConnectionCaps.standard.opening)
        #expect(opening.burst > 2 * NodeClient.connectionsMax, "all its connections can be opened again at once")
    }

    // MARK: Accepting connections

    private func listening(_ caps: ConnectionCaps = .standard) throws -> (EmbeddedChannel, EmbeddedEventLoop, PrometheusRegistry) {
        let (loop, registry) = (EmbeddedEventLoop(), PrometheusRegistry())
        let report = ConnectionReport(registry, Logger(label: "tests") { _ in SwiftLogNoOpLogHandler() })
        let channel = EmbeddedChannel(handler: AcceptGuard(caps, report: report, clock: clock, rest: .milliseconds(250)), loop: loop)
        return (channel, loop, registry)
    }

    /// Every value that `autoRead` was set to, in order.
    private func switches(_ channel: EmbeddedChannel) -> [Bool] {
        channel.options.compactMap { $0.option is ChannelOptions.Types.AutoReadOption ? $0.value as? Bool : nil }
    }

    @Test("Without free descriptors the listening socket pauses once, then resumes", arguments: [EMFILE, ENFILE, ENOBUFS, ENOMEM])
    func rests(_ code: CInt) throws {
        let (channel, loop, registry) = try listening()
        for _ in 0..<3 { channel.pipeline.fireErrorCaught(IOError(errnoCode: code, reason: "accept")) }
        #expect(switches(channel).last == false)
        try channel.throwIfErrorCaught()
        loop.advanceTime(by: .milliseconds(249))
        #expect(switches(channel).last == false)
        loop.advanceTime(by: .milliseconds(1))
        #expect(switches(channel).last == true)
        #expect(registry.text.contains("greentea_accept_failures_total 3"))
    }

    @Test("Other errors of the listening socket are passed on")
    func others() throws {
        let (channel, _, _) = try listening()
        channel.pipeline.fireErrorCaught(IOError(errnoCode: EBADF, reason: "accept"))
        #expect(throws: IOError.self) { try channel.throwIfErrorCaught() }
        #expect(switches(channel).isEmpty)
    }

    @Test("A connection beyond the cap is closed at once, and one that ends frees its place")
    func admission() throws {
        let (channel, loop, registry) = try listening(ConnectionCaps(total: 100, perAddress: 2, perNetwork: nil))
        func connection() throws -> EmbeddedChannel {
            let connection = EmbeddedChannel(loop: loop)
            connection.remoteAddress = try SocketAddress(ipAddress: "203.0.113.5", port: 1)
            try connection.connect(to: SocketAddress(ipAddress: "203.0.113.5", port: 1)).wait()
            connection.remoteAddress = try SocketAddress(ipAddress: "203.0.113.5", port: 1)
            channel.pipeline.fireChannelRead(connection as any Channel)
            return connection
        }
        let kept = [try connection(), try connection()]
        let third = try connection()
        #expect(!third.isActive && kept.allSatisfy { $0.isActive })
        #expect(registry.text.contains(#"greentea_connections_refused_total{reason="address"} 1"#))
        #expect(registry.text.contains("greentea_connections 2"))
        try kept[0].close().wait()
        loop.run()
        #expect(registry.text.contains("greentea_connections 1"))
        #expect(try connection().isActive)
    }

    // MARK: Log lines and the byte budget

    @Test("The first event of a kind is logged at once, later ones once per interval with their count")
    func throttle() {
        var throttle = LineThrottle(interval: .seconds(10))
        let start = ContinuousClock.now
        #expect(throttle.count("a", at: start) == 1)
        for _ in 0..<500 { #expect(throttle.count("a", at: start + .seconds(9)) == nil) }
        #expect(throttle.count("b", at: start) == 1)
        #expect(throttle.count("a", at: start + .seconds(10)) == 501)
        #expect(throttle.count("a", at: start + .seconds(11)) == nil)
    }

    @Test("Concurrent takers never get more bytes than the budget has")
    func budget() async {
        let budget = BodyBudget(ordinary: 2_000, pictures: 20)
        let taken = await withTaskGroup(of: [BodyBudget.Charge?].self) { group in
            for _ in 0..<64 {
                group.addTask {
                    (0..<100).map { _ in
                        var charge: BodyBudget.Charge?
                        _ = budget.take(7, for: &charge, from: .ordinary)
                        return charge
                    }
                }
            }
            return await group.reduce(into: [BodyBudget.Charge?]()) { $0 += $1.filter { $0 != nil } }
        }
        #expect(taken.count == 142 && budget.taken(from: .ordinary) == 142 * 7)
        var picture: BodyBudget.Charge?
        var other: BodyBudget.Charge?
        let areTaken = [
            budget.take(10, for: &picture, from: .pictures), budget.take(10, for: &other, from: .pictures),
            budget.take(1, for: &picture, from: .pictures),
        ]
        #expect(areTaken == [true, false, false], "each pool has bytes of its own")
        for var charge in taken {
            budget.giveBack(7, of: &charge)
        }
        #expect(budget.taken(from: .ordinary) == 0)
    }
}
