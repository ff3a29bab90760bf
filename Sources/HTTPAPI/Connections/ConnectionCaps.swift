import CommandService
import Loyalty

/// The caps on open connections, in total and from one client, and on the rate at which one client may open them.
///
/// Each connection is a descriptor. A process without free descriptors can neither accept connections nor open its own files, so the total
/// MUST be well below the limit of descriptors: ``fitting(descriptors:)`` computes it.
public struct ConnectionCaps: Hashable, Sendable {
    /// The maximum number of connections of all clients together.
    public let total: Int
    /// The maximum number of connections from one IPv4 address or one IPv6 /64; nil for no cap.
    public let perAddress: Int?
    /// The maximum number of connections from one IPv6 /48; nil for no cap. One customer of a hosting company may have a whole /48.
    public let perNetwork: Int?
    /// The maximum rate of new connections of one address; nil for no cap. An IPv6 /48 may open ``Limits/networkRateFactor`` times as many.
    /// This cap is needed because a connection costs the service more than its client, and a client that closes each connection at once
    /// never reaches ``perAddress``.
    let opening: Allowance?

    /// The caps of a process that may open at least ``descriptorsWanted`` descriptors.
    public static let standard = ConnectionCaps(total: DescriptorNeeds.connectionsMax)
    /// The number of descriptors below which the service does not start.
    public static let descriptorsMin = DescriptorNeeds.least
    /// The minimum number of descriptors with which the caps are ``standard``.
    public static let descriptorsWanted = DescriptorNeeds.wanted

    private init(total: Int) {
        self.init(
            total: total, perAddress: min(Limits.connectionsPerAddressMax, total / Limits.addressesToFillMin),
            perNetwork: min(Limits.connectionsPerNetworkMax, total / Limits.networksToFillMin), opening: Limits.connectionsOpened)
    }

    init(total: Int, perAddress: Int?, perNetwork: Int?, opening: Allowance? = nil) {
        (self.total, self.perAddress, self.perNetwork, self.opening) = (total, perAddress, perNetwork, opening)
    }

    /// The caps for this many descriptors; nil if the service cannot run with so few.
    public static func fitting(descriptors: Int) -> ConnectionCaps? {
        guard descriptors >= descriptorsMin else { return nil }
        return ConnectionCaps(total: min(descriptors - DescriptorNeeds.reserved, DescriptorNeeds.connectionsMax))
    }

    /// Only the cap on all clients together, without the caps on one client. It is for measurements, and for a service behind our own
    /// proxy, from which all clients' connections come.
    public var sharedByAll: ConnectionCaps { ConnectionCaps(total: total, perAddress: nil, perNetwork: nil) }
    /// These caps without a limit on the rate of new connections. They are for development, where tests open a connection for each request.
    public var openedAtAnyRate: ConnectionCaps { ConnectionCaps(total: total, perAddress: perAddress, perNetwork: perNetwork) }
}

/// The reason why a new connection is closed at once.
enum ConnectionRefusal: String, CaseIterable, Sendable {
    /// The client's address already has its maximum number of connections.
    case address
    /// The client's network, an IPv6 /48, already has its maximum number of connections.
    case network
    /// The service already has its maximum number of connections.
    case total
    /// The client's address or its network opens connections too fast.
    case rate
}

/// The open connections, counted by client. This value is used only on the event loop that accepts connections.
struct ConnectionCounts {
    let caps: ConnectionCaps
    private(set) var total = 0
    /// The number of connections of each address that has any. The dictionary never has more entries than there are connections.
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
    /// - Parameters:
    ///   - address: the client's address; nil if the system no longer knows it. A connection without an address is counted only in the
    ///     total.
    ///   - now: the time by the steady clock.
    /// - Returns: nil, or the reason why the connection must be closed at once; then it is not counted.
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

    /// The number of addresses and networks that have open connections.
    var clientCount: Int { byAddress.count + byNetwork.count }

    private static func decrement(_ key: ClientAddress, in counts: inout [ClientAddress: Int]) {
        let left = counts[key, default: 1] - 1
        counts[key] = left > 0 ? left : nil
    }
}
