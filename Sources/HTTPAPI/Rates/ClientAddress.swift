import Caches
import CommandService
import HTTPTypes
import Hummingbird
import Logging
import Loyalty
import NIOCore
import ServiceLog
import Synchronization

/// A client's address for limits: IPv4, or the first 64 bits of IPv6, because one client usually has all addresses with that half.
struct ClientAddress: Hashable, Sendable {
    /// Four bytes of IPv4 or eight of IPv6, most significant first.
    private let prefix: UInt64
    private let isWide: Bool
    /// A tool, or an untrusted proxy, on this machine. Limits apply, except in development.
    let isLoopback: Bool

    /// - Parameter text: without a port; brackets are allowed.
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

    private init(number: UInt32) { self.init(prefix: UInt64(number), isWide: false, isLoopback: number >> 24 == 127) }

    private init(prefix: UInt64, isWide: Bool, isLoopback: Bool) {
        (self.prefix, self.isWide, self.isLoopback) = (prefix, isWide, isLoopback)
    }

    /// The IPv6 /48, the most that one customer usually gets; nil for IPv4.
    var network: ClientAddress? { isWide ? ClientAddress(prefix: prefix & ~0xFFFF, isWide: true, isLoopback: isLoopback) : nil }

    /// Unique among all addresses.
    var number: UInt128 { UInt128(prefix) | (isWide ? 1 << 64 : 0) }

    /// A text from which ``init(_:)`` makes an equal address.
    var text: String {
        if isWide, isLoopback { return "::1" }
        if isWide { return [48, 32, 16, 0].map { String(prefix >> $0 & 0xFFFF, radix: 16) }.joined(separator: ":") + "::" }
        return [24, 16, 8, 0].map { String(prefix >> $0 & 0xFF) }.joined(separator: ".")
    }

    /// - Parameters:
    ///   - forwarded: the request's `X-Forwarded-For`.
    ///   - trustedProxies: each of our proxies appends its client's address, so the entry of the outermost counts. Earlier entries may be
    ///     forged. With too few entries, the connection's address counts.
    init?(forwarded: String?, through channel: any Channel, trustedProxies: Int) {
        if trustedProxies > 0, let hops = forwarded?.split(separator: ","), hops.count >= trustedProxies,
            let hop = ClientAddress(hops[hops.count - trustedProxies])
        {
            self = hop
        } else {
            guard let address = channel.remoteAddress else { return nil }
            self.init(address)
        }
    }

    /// The IPv4 /24 or IPv6 /48.
    var site: SignInNetwork { isWide ? SignInNetwork(ipv6: prefix) : SignInNetwork(ipv4: UInt32(truncatingIfNeeded: prefix)) }
}

extension Resources {
    /// The value of ``APIContext/limitedAddress``. `X-Forwarded-For` without configured proxies suggests a proxy whose address all clients
    /// seem to have, so a warning is logged once.
    func limitedAddress(of request: Request, _ context: APIContext) -> ClientAddress? {
        let forwarded = request.headers.text(of: .forwardedFor)
        if configuration.trustedProxies == 0, forwarded != nil, proxyWarning.isFirst() {
            context.logger.report(
                .forwardedForIgnored, at: .warning,
                "X-Forwarded-For is not believed: if a proxy of yours sends it, set --trusted-proxies; else all its clients count as one")
        }
        return limitedAddress(forwarded: forwarded, through: context.channel)
    }

    func limitedAddress(forwarded: String?, through channel: any Channel) -> ClientAddress? {
        limited(ClientAddress(forwarded: forwarded, through: channel, trustedProxies: configuration.trustedProxies))
    }

    /// Nil for an address that has no limits.
    func limited(_ address: ClientAddress?) -> ClientAddress? {
        configuration.isDevelopment && address?.isLoopback == true ? nil : address
    }
}

/// Tells the first call of ``isFirst()`` from all later ones. Any task may call.
final class FirstTime: Sendable {
    private let isOver = Atomic(false)

    func isFirst() -> Bool { !isOver.exchange(true, ordering: .relaxed) }
}

extension HTTPField.Name {
    fileprivate static let forwardedFor = Self("X-Forwarded-For")!
}

extension SocketAddress {
    /// Four or sixteen bytes; nil for a Unix domain socket.
    fileprivate var addressBytes: [UInt8]? {
        guard let text = ipAddress else { return nil }
        return text.contains(":") ? Self.words(of: text) : Self.numbers(in: text)
    }

    /// In one pass, because nearly every request has an IPv4 address.
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

    /// The canonical form (RFC 5952), which NIO writes.
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

/// Names each request's client for the limits and the pools.
struct PoolClientMiddleware: RouterMiddleware {
    let resources: Resources

    func handle(
        _ request: Request, context: APIContext, next: @concurrent (Request, APIContext) async throws -> Response
    ) async throws -> Response {
        try await Self.serve(request, context, as: resources.limitedAddress(of: request, context), next)
    }

    static func serve(
        _ request: Request, _ context: APIContext, as address: ClientAddress?,
        _ next: @concurrent (Request, APIContext) async throws -> Response
    ) async throws -> Response {
        let pipeline = context.channel.pipeline
        var context = context
        context.limitedAddress = address
        let client = PoolClient(PoolShare(of: context.limitedAddress)) { pipeline.fireUserInboundEventTriggered(Displacement()) }
        return try await PoolClient.$current.withValue(client) { [context] in try await next(request, context) }
    }
}

/// The connection's request has to give way; see `SharedPool`.
struct Displacement: Sendable {}

extension PoolShare {
    init(of address: ClientAddress?, account: AccountID? = nil) {
        self.init(account: account?.value, address: address?.number, network: address?.network?.number)
    }
}
