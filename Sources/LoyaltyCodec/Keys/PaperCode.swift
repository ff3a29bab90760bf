public import Loyalty

/// The code of a paper card: 80 bits as 16 symbols of Crockford base 32, shown as `K7QF-2M9X-0R3T-8WBN`.
///
/// The first half is derived from the print's id. The second half is the card's number and a keyed check value of 31 bits, so that a
/// forgery is refused without reading the log.
public struct PaperCode: Hashable, Sendable {
    static let symbolCount = 16
    static let bitCount = 80
    static let numberBits = 9
    static let markBits = 31

    /// The first symbol has the highest bits.
    public let bits: UInt128

    init(bits: UInt128) { self.bits = bits }

    /// Reads by the lenient rules of ``TypedCode``; nil for anything but 16 symbols.
    public init?(typed: String) {
        guard let bits = TypedCode.bits(in: typed, symbols: Self.symbolCount) else { return nil }
        self.bits = bits
    }

    public var text: String {
        var symbols: [UInt8] = []
        for index in 0..<Self.symbolCount {
            if index > 0, index.isMultiple(of: 4) { symbols.append(UInt8(ascii: "-")) }
            symbols.append(Crockford.upperCase[Int(bits >> UInt128(5 * (Self.symbolCount - 1 - index)) & 31)])
        }
        return String(decoding: symbols, as: UTF8.self)
    }

    var printCode: TypedCode { TypedCode(bits: UInt64(truncatingIfNeeded: bits >> UInt128(TypedCode.bitCount))) }
    var number: Int { Int(truncatingIfNeeded: bits >> UInt128(Self.markBits)) & (1 << Self.numberBits - 1) }
    var mark: UInt64 { UInt64(truncatingIfNeeded: bits) & (1 << UInt64(Self.markBits) - 1) }
}

extension Keys {
    /// As for ``stampCode(for:attempt:)``.
    public func printCode(for print: PrintID, attempt: Int) -> TypedCode { Self.code(under: paperCode, for: print.value, attempt: attempt) }

    public func secret(ofPrintCode code: TypedCode) -> Secret { Secret(paperSecret.number(code.bytes)) }

    /// - Parameter number: 0 to 511.
    public func paperCode(_ number: Int, of print: TypedCode) -> PaperCode {
        let low = UInt64(number) << UInt64(PaperCode.markBits) | paperMark(number, of: print)
        return PaperCode(bits: UInt128(print.bits) << UInt128(TypedCode.bitCount) | UInt128(low))
    }

    /// nil for a code that was not made with this server's keys.
    public func paper(in code: PaperCode) -> (secret: Secret, number: Int)? {
        guard paperMark(code.number, of: code.printCode) == code.mark else { return nil }
        return (secret(ofPrintCode: code.printCode), code.number)
    }

    private func paperMark(_ number: Int, of print: TypedCode) -> UInt64 {
        let message = print.bytes + [UInt8(truncatingIfNeeded: number >> 8), UInt8(truncatingIfNeeded: number)]
        return UInt64(truncatingIfNeeded: paperMark.number(message) >> UInt128(128 - PaperCode.markBits))
    }
}
