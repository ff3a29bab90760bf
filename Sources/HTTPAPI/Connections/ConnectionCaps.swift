import CommandService
import Loyalty

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

    /// The caps for this many descriptors; nil if too few.
    public static func fitting(descriptors: Int) -> ConnectionCaps? {
        guard descriptors >= descriptorsMin else { return nil }
        return ConnectionCaps(total: min(descriptors - DescriptorNeeds.reserved, DescriptorNeeds.connectionsMax))
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
