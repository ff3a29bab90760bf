extension UInt128 {
    /// The 16 bytes of the number, most significant first: a UUID's own order.
    var bigEndianBytes: [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(16)
        appendBigEndian(to: &bytes)
        return bytes
    }

    func appendBigEndian(to bytes: inout [UInt8]) {
        for shift in stride(from: 120, through: 0, by: -8) {
            bytes.append(UInt8(truncatingIfNeeded: self >> UInt128(shift)))
        }
    }

    /// The number of exactly 16 bytes, nil for any other count.
    init?(bigEndianBytes bytes: some Collection<UInt8>) {
        guard bytes.count == 16 else { return nil }
        self = bytes.reduce(0) { $0 << 8 | UInt128($1) }
    }
}
