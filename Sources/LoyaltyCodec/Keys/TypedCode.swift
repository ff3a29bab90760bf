/// A code that people read out and type: 40 bits as 8 symbols of Crockford base 32, shown as `K7QF-2M9X`.
///
/// Full-width letters and digits count as the usual ones: keyboards for Chinese produce them, and a refusal would count as a wrong guess.
public struct TypedCode: Hashable, Sendable {
    static let symbolCount = 8
    static let bitCount = 40

    /// The first symbol has the highest bits.
    public let bits: UInt64

    init(bits: UInt64) { self.bits = bits }

    init(firstBitsOf hash: [UInt8]) { bits = hash.prefix(Self.bitCount / 8).reduce(0) { $0 << 8 | UInt64($1) } }

    /// Ignores case, hyphens, blanks and width; I and L are 1, O is 0. Nil for any other symbol and for another length.
    public init?(typed: String) {
        var bits: UInt64 = 0
        var count = 0
        for scalar in typed.unicodeScalars where !Self.isBetweenSymbols(scalar) {
            guard count < Self.symbolCount, let symbol = Self.ascii(scalar), let value = Crockford.lenientValue(symbol) else { return nil }
            bits = bits << 5 | UInt64(value)
            count += 1
        }
        guard count == Self.symbolCount else { return nil }
        self.bits = bits
    }

    static func bits(in typed: String, symbols: Int) -> UInt128? {
        var (bits, count): (UInt128, Int) = (0, 0)
        for scalar in typed.unicodeScalars where !isBetweenSymbols(scalar) {
            guard count < symbols, let symbol = ascii(scalar), let value = Crockford.lenientValue(symbol) else { return nil }
            bits = bits << 5 | UInt128(value)
            count += 1
        }
        return count == symbols ? bits : nil
    }

    private static func isBetweenSymbols(_ scalar: Unicode.Scalar) -> Bool {
        if scalar.isASCII { return scalar == "-" || scalar == " " || ("\t"..."\r").contains(scalar) }
        return scalar.properties.generalCategory == .dashPunctuation || scalar.properties.isWhitespace
    }

    /// Maps a full-width form (U+FF01 to U+FF5E) to ASCII; nil above 255.
    private static func ascii(_ scalar: Unicode.Scalar) -> UInt8? {
        (0xFF01...0xFF5E).contains(scalar.value) ? UInt8(scalar.value - 0xFEE0) : UInt8(exactly: scalar.value)
    }

    public var text: String {
        var symbols: [UInt8] = []
        for index in 0..<Self.symbolCount {
            if index == Self.symbolCount / 2 { symbols.append(UInt8(ascii: "-")) }
            symbols.append(Crockford.upperCase[Int(bits >> UInt64(5 * (Self.symbolCount - 1 - index)) & 31)])
        }
        return String(decoding: symbols, as: UTF8.self)
    }

    var bytes: [UInt8] { stride(from: Self.bitCount - 8, through: 0, by: -8).map { UInt8(truncatingIfNeeded: bits >> UInt64($0)) } }
}
