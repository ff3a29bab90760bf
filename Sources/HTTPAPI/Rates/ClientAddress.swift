import CommandService
import HTTPTypes
import Hummingbird
import Logging
import NIOCore
import ServiceLog
import Synchronization

/// The address of a client, for which limits are counted: an IPv4 address, or the first 64 bits of an IPv6 address. One client usually has
/// all 2^64 IPv6 addresses with the same first half.
struct ClientAddress: Hashable, Sendable {
    /// The four bytes of an IPv4 address or the first eight of an IPv6 address, most significant first.
    private let prefix: UInt64
    private let isWide: Bool
    /// Whether the client is on this machine: a tool, or a proxy that was not configured as a trusted proxy. Limits apply to such a client
    /// as to any other, except in development.
    let isLoopback: Bool

    /// - Parameter text: an address without a port; brackets around an IPv6 address are allowed.
    init?(_ text: some StringProtocol) {
        let plain = text.filter { $0 != "[" && $0 != "]" && $0 != " " }
        guard let address = try? SocketAddress(ipAddress: String(plain), port: 0) else { return nil }
        self.init(address)
    }

    init?(_ address: SocketAddress) {
        guard let bytes = address.addressBytes else { return nil }
        if bytes.count == 4 || bytes.prefix(10).allSatisfy({ $0 == 0 }) && bytes[10] == 0xFF && bytes[11] == 0xFF {
            self.init(number: bytes.suffix(4).reduce(0) { $0 << 8 | UInt32($1) })
            return
        }
        self.init(
            prefix: bytes.prefix(8).reduce(0) { $0 << 8 | UInt64($1) }, isWide: true,
            isLoopback: bytes.dropLast().allSatisfy { $0 == 0 } && bytes.last == 1)
    }

    /// Creates an IPv4 address from its 32-bit number.
    private init(number: UInt32) {
        self.init(prefix: UInt64(number), isWide: false, isLoopback: number >> 24 == 127)
    }

    private init(prefix: UInt64, isWide: Bool, isLoopback: Bool) {
        (self.prefix, self.isWide, self.isLoopback) = (prefix, isWide, isLoopback)
    }

    /// The /48 network of an IPv6 address, the largest network that one customer usually gets; nil for an IPv4 address.
    var network: ClientAddress? {
        isWide ? ClientAddress(prefix: prefix & ~0xFFFF, isWide: true, isLoopback: isLoopback) : nil
    }

    /// A number that stands for the address among all addresses.
    var number: UInt128 { UInt128(prefix) | (isWide ? 1 << 64 : 0) }

    /// The address of a request's client.
    ///
    /// - Parameter trustedProxies: the number of our own proxies that the request passed. Each appends its client's address to
    ///   `X-Forwarded-For`, so the client's address is the entry that the outermost proxy appended. Earlier entries may be forged by the
    ///   client. If the header has too few entries, the address of the connection is used.
    init?(of request: Request, through channel: any Channel, trustedProxies: Int) {
        self.init(forwarded: request.headers[.forwardedFor], through: channel, trustedProxies: trustedProxies)
    }

    /// - Parameter forwarded: the request's `X-Forwarded-For`.
    init?(forwarded: String?, through channel: any Channel, trustedProxies: Int) {
        let hops = (forwarded ?? "").split(separator: ",")
        guard trustedProxies > 0, hops.count >= trustedProxies, let hop = ClientAddress(hops[hops.count - trustedProxies]) else {
            guard let address = channel.remoteAddress else { return nil }
            self.init(address)
            return
        }
        self = hop
    }

    /// The client's network for limits on sign-ins: the /24 of an IPv4 address, or the /48 of an IPv6 address.
    var site: SignInNetwork { isWide ? SignInNetwork(ipv6: prefix) : SignInNetwork(ipv4: UInt32(truncatingIfNeeded: prefix)) }
}

extension Resources {
    /// The address whose limits a request uses up. Nil if the address is unknown, and in development also for a client on this machine.
    ///
    /// `X-Forwarded-For` is ignored unless proxies are configured. If a request has the header anyway, there may be a proxy that is not
    /// configured. All clients then seem to have the proxy's address, so a warning is logged once.
    func limitedAddress(of request: Request, _ context: APIContext) -> ClientAddress? {
        if configuration.trustedProxies == 0, request.headers.contains(.forwardedFor), proxyWarning.isFirst() {
            context.logger.report(
                .forwardedForIgnored, at: .warning,
                "X-Forwarded-For is not believed: if a proxy of yours sends it, set --trusted-proxies; else all its clients count as one")
        }
        return limitedAddress(forwarded: request.headers[.forwardedFor], through: context.channel)
    }

    /// The address whose limits a request uses up, by its `X-Forwarded-For` and its connection.
    func limitedAddress(forwarded: String?, through channel: any Channel) -> ClientAddress? {
        let address = ClientAddress(forwarded: forwarded, through: channel, trustedProxies: configuration.trustedProxies)
        return configuration.isDevelopment && address?.isLoopback == true ? nil : address
    }
}

/// Distinguishes the first call of ``isFirst()`` from all later calls. Any task may call it.
final class FirstTime: Sendable {
    private let isOver = Atomic(false)

    /// Whether this is the first call.
    func isFirst() -> Bool { !isOver.exchange(true, ordering: .relaxed) }
}

extension HTTPField.Name {
    fileprivate static let forwardedFor = Self("X-Forwarded-For")!
}

extension SocketAddress {
    /// The address's bytes, four or sixteen, most significant first; nil for a Unix domain socket, or if the address cannot be parsed.
    fileprivate var addressBytes: [UInt8]? {
        guard let text = ipAddress else { return nil }
        return text.contains(":") ? Self.words(of: text) : Self.numbers(in: text)
    }

    /// Parses an IPv4 address in one pass, without splitting the text. This saves time, because nearly every request has an IPv4 address.
    private static func numbers(in text: String) -> [UInt8]? {
        var bytes: [UInt8] = [0]
        for character in text.utf8 {
            if character == UInt8(ascii: ".") {
                bytes.append(0)
            } else {
                let (digit, last) = (Int(character) - 0x30, Int(bytes[bytes.count - 1]))
                guard (0...9).contains(digit), let number = UInt8(exactly: last * 10 + digit) else { return nil }
                bytes[bytes.count - 1] = number
            }
        }
        return bytes.count == 4 ? bytes : nil
    }

    /// Parses the text of an IPv6 address in the canonical form (RFC 5952), in which NIO writes addresses.
    private static func words(of text: String) -> [UInt8]? {
        let plain = text.prefix { $0 != "%" }
        let halves = plain.split(separator: "::", maxSplits: 1, omittingEmptySubsequences: false).map { bytes(of: $0) }
        guard halves.count == 2, let head = halves[0], let tail = halves[1] else {
            return halves.count == 1 ? halves[0].flatMap { $0.count == 16 ? $0 : nil } : nil
        }
        guard head.count + tail.count <= 16 else { return nil }
        return head + [UInt8](repeating: 0, count: 16 - head.count - tail.count) + tail
    }

    private static func bytes(of half: Substring) -> [UInt8]? {
        var bytes: [UInt8] = []
        for part in half.split(separator: ":") {
            if part.contains(".") {
                guard let quad = numbers(in: String(part)) else { return nil }
                bytes += quad
            } else {
                guard let word = UInt16(part, radix: 16) else { return nil }
                bytes += [UInt8(word >> 8), UInt8(truncatingIfNeeded: word)]
            }
        }
        return bytes
    }
}
