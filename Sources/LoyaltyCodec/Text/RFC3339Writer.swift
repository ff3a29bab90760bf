/// Builds a date-time from numbers of fixed width, without a formatter.
struct RFC3339Writer {
    private var bytes: [UInt8] = []

    init() {
        bytes.reserveCapacity(24)
    }

    var string: String { String(decoding: bytes, as: UTF8.self) }

    /// Appends `value` with leading zeros, then `separator`.
    mutating func append(_ value: Int, width: Int, then separator: Unicode.Scalar) {
        if value < 0 { bytes.append(UInt8(ascii: "-")) }
        let digits = String(value.magnitude).utf8
        for _ in digits.count..<max(width, digits.count) { bytes.append(UInt8(ascii: "0")) }
        bytes.append(contentsOf: digits)
        bytes.append(UInt8(ascii: separator))
    }
}
