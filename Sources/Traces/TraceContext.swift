public import Tracing

/// The ids of a trace and a span, and whether the trace is recorded (W3C Trace Context).
public struct TraceContext: Hashable, Sendable {
    /// Not zero.
    public let trace: UInt128
    /// Not zero.
    public let span: UInt64
    public let isSampled: Bool

    public init(trace: UInt128, span: UInt64, isSampled: Bool) { (self.trace, self.span, self.isSampled) = (trace, span, isSampled) }

    /// Reads `traceparent`; nil for a header that the specification tells receivers to ignore.
    public init?(header: String) {
        let bytes = Array(header.utf8)
        guard bytes.count >= 55, bytes[2] == Self.dash, bytes[35] == Self.dash, bytes[52] == Self.dash,
            let version = Self.number(bytes[0..<2]), version != 0xFF, version > 0 || bytes.count == 55,
            bytes.count == 55 || bytes[55] == Self.dash,
            let trace = Self.number(bytes[3..<35]), trace != 0,
            let span = Self.number(bytes[36..<52]), span != 0,
            let flags = Self.number(bytes[53..<55])
        else { return nil }
        self.init(trace: trace, span: UInt64(span), isSampled: flags & 1 == 1)
    }

    /// The header `traceparent` for a downstream service.
    public var header: String { "00-\(Self.hex(trace, 32))-\(Self.hex(UInt128(span), 16))-0\(isSampled ? 1 : 0)" }

    private static let dash = UInt8(ascii: "-")

    /// Lower-case hexadecimal digits only, as specified.
    private static func number(_ digits: ArraySlice<UInt8>) -> UInt128? {
        var number: UInt128 = 0
        for digit in digits {
            switch digit {
            case UInt8(ascii: "0")...UInt8(ascii: "9"): number = number << 4 | UInt128(digit - UInt8(ascii: "0"))
            case UInt8(ascii: "a")...UInt8(ascii: "f"): number = number << 4 | UInt128(digit - UInt8(ascii: "a") + 10)
            default: return nil
            }
        }
        return number
    }

    private static func hex(_ number: UInt128, _ digits: Int) -> String {
        let text = String(number, radix: 16)
        return String(repeating: "0", count: digits - text.count) + text
    }

    enum Key: InstrumentationContextKey {
        typealias Value = TraceContext
    }
}

extension InstrumentationContext {
    /// The current span's, which may be the calling service's.
    public var trace: TraceContext? {
        get { self[TraceContext.Key.self] }
        set { self[TraceContext.Key.self] = newValue }
    }
}
