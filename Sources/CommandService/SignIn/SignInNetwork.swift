/// A telephone number in E.164 form: `+` and 7 to 15 digits, the first not 0. Niue and other small islands have numbers of 7.
public struct E164Number: Hashable, Sendable {
    public let text: String

    /// - Returns: `nil` for anything but E.164.
    public init?(_ text: String) {
        let bytes = Array(text.utf8)
        guard bytes.first == UInt8(ascii: "+"), (8...16).contains(bytes.count), bytes[1] != UInt8(ascii: "0") else { return nil }
        guard bytes.dropFirst().allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }) else { return nil }
        self.text = text
    }
}

/// The network of a sign-in: the /24 of an IPv4 address or the /48 of an IPv6 one, the range that one site or one cheap server gets. Limits
/// are counted for each network and not for each address, because a client with a /48 can change between 2^80 addresses.
public struct SignInNetwork: Hashable, Sendable {
    private let bits: UInt64
    private let isWide: Bool

    /// - Parameter ipv4: the address as a number.
    public init(ipv4: UInt32) {
        (bits, isWide) = (UInt64(ipv4 >> 8), false)
    }

    /// - Parameter ipv6: the first 64 bits of the address.
    public init(ipv6: UInt64) {
        (bits, isWide) = (ipv6 >> 16, true)
    }

    /// The network of a request whose address is unknown, or is not limited.
    public static let unknown = SignInNetwork(bits: .max)

    private init(bits: UInt64) {
        (self.bits, isWide) = (bits, false)
    }
}
