/// A code that people read out and type: 40 bits as 8 symbols of Crockford base 32, shown `K7QF-2M9X`.
///
/// It exists between screen and service only. The log holds its keyed hash (`Keys.secret(ofStampCode:)`).
public struct TypedCode: Hashable, Sendable {
    static let symbolCount = 8
    static let bitCount = 40

    /// The 40 bits, first symbol highest.
    public let bits: UInt64

    /// The first 40 bits of a keyed hash.
    init(firstBitsOf hash: [UInt8]) {
        bits = hash.prefix(Self.bitCount / 8).reduce(0) { $0 << 8 | UInt64($1) }
    }

    /// Reads what somebody typed: case, hyphens and spaces do not matter, I and L are 1, O is 0. Nil for any other symbol,
    /// U among them, and for more or fewer than 8 symbols.
    public init?(typed: String) {
        var bits: UInt64 = 0
        var count = 0
        for byte in typed.utf8 where byte != UInt8(ascii: "-") && byte != UInt8(ascii: " ") {
            guard count < Self.symbolCount, let value = Crockford.lenientValue(byte) else { return nil }
            bits = bits << 5 | UInt64(value)
            count += 1
        }
        guard count == Self.symbolCount else { return nil }
        self.bits = bits
    }

    /// Upper case, in two groups of four.
    public var text: String {
        var symbols: [UInt8] = []
        for index in 0..<Self.symbolCount {
            if index == Self.symbolCount / 2 { symbols.append(UInt8(ascii: "-")) }
            symbols.append(Crockford.upperCase[Int(bits >> UInt64(5 * (Self.symbolCount - 1 - index)) & 31)])
        }
        return String(decoding: symbols, as: UTF8.self)
    }

    /// The five bytes, first symbol first.
    var bytes: [UInt8] {
        stride(from: Self.bitCount - 8, through: 0, by: -8).map { UInt8(truncatingIfNeeded: bits >> UInt64($0)) }
    }
}
