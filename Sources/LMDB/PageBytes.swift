internal import Glibc

/// Bytes of the file, read without mapping it, and decoded with bounds checks.
struct PageBytes {
    private let bytes: [UInt8]

    /// Reads at most `count` bytes; fewer where the file ends, none where it can not be read.
    init(_ descriptor: Int32, at offset: Int, count: Int) {
        bytes = unsafe [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
            // SAFETY: reads at most the buffer's bytes, and counts those that were read.
            unsafe filled = max(0, pread(descriptor, buffer.baseAddress, count, offset))
        }
    }

    var count: Int { bytes.count }

    /// A little-endian number; zero where the bytes end too early.
    func load<Number: FixedWidthInteger & UnsignedInteger>(_ offset: Int, as: Number.Type) -> Number {
        let width = Number.bitWidth / 8
        guard offset >= 0, offset <= count - width else { return 0 }
        return bytes[offset..<offset + width].reversed().reduce(0) { $0 << 8 | Number($1) }
    }
}
