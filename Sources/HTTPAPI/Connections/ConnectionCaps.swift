import CommandService
import Glibc
import HummingbirdCore
import Loyalty
import NIOCore
import Nodes
import Synchronization

/// The caps on open connections, in total and from one client, and on the rate of opening them. Each is a descriptor, and a process without
/// free ones cannot even open its own files. The total MUST be well below their limit: ``fitting(descriptors:)`` computes it.
public struct ConnectionCaps: Hashable, Sendable {
    public let total: Int
    /// From one IPv4 address or IPv6 /64; nil for no cap.
    public let perAddress: Int?
    /// From one IPv6 /48, which one customer may own; nil for no cap.
    public let perNetwork: Int?
    /// The rate of one address; nil for no cap. A connection costs the service more than its client, and a client that closes at once never
    /// reaches ``perAddress``.
    let opening: Allowance?

    /// For at least ``descriptorsWanted`` descriptors.
    public static let standard = ConnectionCaps(total: DescriptorNeeds.connectionsMax)
    /// With fewer descriptors, the service does not start.
    public static let descriptorsMin = DescriptorNeeds.least
    /// With at least these, the caps are ``standard``.
    public static let descriptorsWanted = DescriptorNeeds.wanted

    private init(total: Int) {
        self.init(
            total: total, perAddress: min(Limits.connectionsPerAddressMax, total / Limits.addressesToFillMin),
            perNetwork: min(Limits.connectionsPerNetworkMax, total / Limits.networksToFillMin), opening: Limits.connectionsOpened)
    }

    init(total: Int, perAddress: Int?, perNetwork: Int?, opening: Allowance? = nil) {
        (self.total, self.perAddress, self.perNetwork, self.opening) = (total, perAddress, perNetwork, opening)
    }

    /// The descriptors of this node's connections to so many others.
    public static func descriptors(forPeers peers: Int) -> Int { peers * NodeClient.connectionsMax }

    /// The caps for this many descriptors; nil if too few.
    ///
    /// - Parameter peers: other nodes, each of which may open as many connections as this node opens to it.
    public static func fitting(descriptors: Int, peers: Int = 0) -> ConnectionCaps? {
        let free = descriptors - Self.descriptors(forPeers: peers)
        guard free >= descriptorsMin else { return nil }
        let caps = ConnectionCaps(total: min(free - DescriptorNeeds.reserved, DescriptorNeeds.connectionsMax))
        guard peers > 0 else { return caps }
        let (address, network) = (NodeClient.connectionsMax, peers * NodeClient.connectionsMax)
        return ConnectionCaps(
            total: caps.total, perAddress: caps.perAddress.map { max($0, address) }, perNetwork: caps.perNetwork.map { max($0, network) },
            opening: caps.opening)
    }

    /// Only the total, for measurements and behind our own proxy, from which all connections come.
    public var sharedByAll: ConnectionCaps { ConnectionCaps(total: total, perAddress: nil, perNetwork: nil) }
    /// Without the rate, for development, where tests open a connection for each request.
    public var openedAtAnyRate: ConnectionCaps { ConnectionCaps(total: total, perAddress: perAddress, perNetwork: perNetwork) }
}

/// The reason to close a new connection at once.
enum ConnectionRefusal: String, CaseIterable, Sendable {
    case address
    /// An IPv6 /48.
    case network
    case total
    case rate
}

/// The open connections by client, on the accepting event loop.
struct ConnectionCounts {
    let caps: ConnectionCaps
    private(set) var total = 0
    /// Only addresses with connections, so no more entries than connections.
    private var byAddress: [ClientAddress: Int] = [:]
    private var byNetwork: [ClientAddress: Int] = [:]
    private var openedByAddress: Allowances<ClientAddress>?
    private var openedByNetwork: Allowances<ClientAddress>?

    init(_ caps: ConnectionCaps) {
        self.caps = caps
        openedByAddress = caps.opening.map { Allowances($0, keysMax: Limits.ratedKeysMax) }
        openedByNetwork = caps.opening.map {
            let ofNetwork = Allowance($0.burst * Limits.networkRateFactor, perSeconds: $0.periodSeconds)
            return Allowances(ofNetwork, keysMax: Limits.ratedKeysMax)
        }
    }

    /// Counts a new connection, which MUST be released when it closes.
    ///
    /// - Parameter address: nil if the system no longer knows it; then only the total counts.
    /// - Returns: nil, or the reason to close the connection, which is then not counted.
    mutating func admit(_ address: ClientAddress?, at now: Instant) -> ConnectionRefusal? {
        if let address, openedByAddress?.secondsToWait(address, at: now) != nil { return .rate }
        if let network = address?.network, openedByNetwork?.secondsToWait(network, at: now) != nil { return .rate }
        guard total < caps.total else { return .total }
        if let address, let most = caps.perAddress, byAddress[address, default: 0] >= most { return .address }
        if let network = address?.network, let most = caps.perNetwork, byNetwork[network, default: 0] >= most { return .network }
        total += 1
        if let address {
            openedByAddress?.take(address, at: now)
            byAddress[address, default: 0] += 1
        }
        if let network = address?.network {
            openedByNetwork?.take(network, at: now)
            byNetwork[network, default: 0] += 1
        }
        return nil
    }

    mutating func release(_ address: ClientAddress?) {
        total -= 1
        if let address { Self.decrement(address, in: &byAddress) }
        if let network = address?.network { Self.decrement(network, in: &byNetwork) }
    }

    var clientCount: Int { byAddress.count + byNetwork.count }

    private static func decrement(_ key: ClientAddress, in counts: inout [ClientAddress: Int]) {
        let left = counts[key, default: 1] - 1
        counts[key] = left > 0 ? left : nil
    }
}

/// Closes new connections beyond ``ConnectionCaps``, and pauses accepting while no descriptor or memory is free. Belongs to the listening
/// channel's event loop.
///
/// After `EMFILE`, NIO 2.101 leaves the socket readable and calls `accept` in a busy loop; its `AcceptBackoffHandler` only delays later
/// reads. This handler turns `autoRead` off for a quarter of a second, which takes the socket out of the loop.
final class AcceptGuard: ChannelInboundHandler {
    typealias InboundIn = any Channel
    typealias InboundOut = any Channel

    private var counts: ConnectionCounts
    private let report: ConnectionReport
    private let clock: any CommandService.Clock
    private let rest: TimeAmount
    private var isResting = false

    init(
        _ caps: ConnectionCaps, report: ConnectionReport, clock: any CommandService.Clock,
        rest: TimeAmount = .milliseconds(Limits.acceptRestMilliseconds)
    ) {
        (counts, self.report, self.clock, self.rest) = (ConnectionCounts(caps), report, clock, rest)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let connection = unwrapInboundIn(data)
        let address = connection.remoteAddress.flatMap { ClientAddress($0) }
        if let refusal = counts.admit(address, at: clock.steady()) {
            report.refused(refusal)
            connection.close(promise: nil)
            return
        }
        report.open(counts.total)
        connection.closeFuture.hop(to: context.eventLoop).assumeIsolated().whenComplete { [self] _ in
            counts.release(address)
            report.open(counts.total)
        }
        context.fireChannelRead(data)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        guard let error = error as? IOError, Self.isShortage(error.errnoCode) else { return context.fireErrorCaught(error) }
        report.acceptFailed(error.errnoCode)
        guard !isResting else { return }
        isResting = true
        setAutoRead(false, context)
        context.eventLoop.assumeIsolated().scheduleTask(in: rest) { [self] in
            isResting = false
            setAutoRead(true, context)
        }
    }

    /// A shortage of descriptors or memory. The connection waits in the system's queue until it ends.
    private static func isShortage(_ code: CInt) -> Bool { [EMFILE, ENFILE, ENOBUFS, ENOMEM].contains(code) }

    private func setAutoRead(_ isOn: Bool, _ context: ChannelHandlerContext) {
        // Fails only if the channel is closed.
        try? context.channel.syncOptions?.setOption(.autoRead, value: isOn)
    }
}

@available(*, unavailable)
extension AcceptGuard: Sendable {}

/// Keeps a listening channel from accepting until its `AcceptGuard` is installed, because earlier connections would not be counted.
struct AcceptGate: AvailableConnectionsDelegate {
    private final class Latch: Sendable {
        let isOpen = Atomic(false)
    }

    private let latch = Latch()

    func connectionOpened() {}
    func connectionClosed() {}
    func isAcceptingNewConnections() -> Bool { latch.isOpen.load(ordering: .acquiring) }

    func open(_ channel: any Channel, _ caps: ConnectionCaps, _ report: ConnectionReport, _ clock: any CommandService.Clock) async throws {
        try await channel.eventLoop.submit {
            try channel.pipeline.syncOperations.addHandler(AcceptGuard(caps, report: report, clock: clock), position: .first)
            latch.isOpen.store(true, ordering: .releasing)
            channel.read()
        }.get()
    }
}
