/// A telephone number in E.164 form: `+` and 7 (on small islands) to 15 digits, the first not 0.
public struct E164Number: Hashable, Sendable {
    public let text: String

    public init?(_ text: String) {
        let bytes = Array(text.utf8)
        guard bytes.first == UInt8(ascii: "+"), (8...16).contains(bytes.count), bytes[1] != UInt8(ascii: "0") else { return nil }
        guard bytes.dropFirst().allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }) else { return nil }
        self.text = text
    }
}

/// The /24 of an IPv4 address or the /48 of an IPv6 one, which one client can have as a whole.
public struct SignInNetwork: Hashable, Sendable {
    private let bits: UInt64
    private let isWide: Bool

    public init(ipv4: UInt32) { (bits, isWide) = (UInt64(ipv4 >> 8), false) }

    public init(ipv6: UInt64) { (bits, isWide) = (ipv6 >> 16, true) }

    public static let unknown = SignInNetwork(bits: .max)

    private init(bits: UInt64) { (self.bits, isWide) = (bits, false) }
}
