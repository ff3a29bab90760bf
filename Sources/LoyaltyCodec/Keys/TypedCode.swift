/// A code that people read out and type: 40 bits as 8 symbols of Crockford base 32, shown as `K7QF-2M9X`.
///
/// The code itself is only sent between screens and the service. The log stores its keyed hash (`Keys.secret(ofStampCode:)`).
///
/// Full-width letters and digits, which keyboards for Chinese produce, count as the usual ones. People type them in good faith, and a
/// refusal would count as a wrong guess.
public struct TypedCode: Hashable, Sendable {
    static let symbolCount = 8
    static let bitCount = 40

    /// The 40 bits of the code. The first symbol has the highest bits.
    public let bits: UInt64

    init(bits: UInt64) { self.bits = bits }

    /// Creates a code from the first 40 bits of a keyed hash.
    init(firstBitsOf hash: [UInt8]) {
        bits = hash.prefix(Self.bitCount / 8).reduce(0) { $0 << 8 | UInt64($1) }
    }

    /// Reads a typed code. Case, hyphens, blanks and full width do not matter; I and L are 1, O is 0. Nil for any other symbol, including
    /// U, and for more or fewer than 8 symbols.
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

    /// The bits of a longer code, read by the rules of ``init(typed:)``; nil for any other symbol, and if the number of symbols is not
    /// `symbols`.
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
        // Most scalars are ASCII. The next line names all blanks and hyphens of ASCII, so Unicode's tables are needed only for other
        // scalars.
        if scalar.isASCII { return scalar == "-" || scalar == " " || ("\t"..."\r").contains(scalar) }
        return scalar.properties.generalCategory == .dashPunctuation || scalar.properties.isWhitespace
    }

    /// The byte of a scalar: for a full-width form (U+FF01 to U+FF5E) the byte of its ASCII character, for any other scalar its own value;
    /// nil for a value above 255.
    private static func ascii(_ scalar: Unicode.Scalar) -> UInt8? {
        (0xFF01...0xFF5E).contains(scalar.value) ? UInt8(scalar.value - 0xFEE0) : UInt8(exactly: scalar.value)
    }

    /// The code as it is shown: in upper case, in two groups of four symbols.
    public var text: String {
        var symbols: [UInt8] = []
        for index in 0..<Self.symbolCount {
            if index == Self.symbolCount / 2 { symbols.append(UInt8(ascii: "-")) }
            symbols.append(Crockford.upperCase[Int(bits >> UInt64(5 * (Self.symbolCount - 1 - index)) & 31)])
        }
        return String(decoding: symbols, as: UTF8.self)
    }

    /// The 40 bits as five bytes, the bits of the first symbol first.
    var bytes: [UInt8] {
        stride(from: Self.bitCount - 8, through: 0, by: -8).map { UInt8(truncatingIfNeeded: bits >> UInt64($0)) }
    }
}
