/// Reads numbers from stored records at any offset, aligned or not; each method traps beyond the bytes.
extension Span where Element == UInt8 {
    /// The unsigned 16-bit number at `offset`.
    @inlinable @inline(__always)
    public func littleEndian16(at offset: Int) -> UInt16 { UInt16(littleEndian: number(at: offset)) }

    /// The unsigned 32-bit number at `offset`.
    @inlinable @inline(__always)
    public func littleEndian32(at offset: Int) -> UInt32 { UInt32(littleEndian: number(at: offset)) }

    /// The unsigned 64-bit number at `offset`.
    @inlinable @inline(__always)
    public func littleEndian64(at offset: Int) -> UInt64 { UInt64(littleEndian: number(at: offset)) }

    /// The unsigned 128-bit number at `offset`.
    @inlinable @inline(__always)
    public func littleEndian128(at offset: Int) -> UInt128 { UInt128(littleEndian: number(at: offset)) }

    /// The unsigned 128-bit number at `offset` in big-endian order, as in keys.
    @inlinable @inline(__always)
    public func bigEndian128(at offset: Int) -> UInt128 { UInt128(bigEndian: number(at: offset)) }

    // SAFETY: the bounds are checked, the load needs no alignment, and every bit pattern is an integer.
    @inlinable @inline(__always)
    func number<Number: FixedWidthInteger & BitwiseCopyable>(at offset: Int) -> Number {
        precondition(offset >= 0 && offset <= count - MemoryLayout<Number>.size, "a number outside of the bytes")
        return unsafe withUnsafeBytes { bytes in unsafe bytes.loadUnaligned(fromByteOffset: offset, as: Number.self) }
    }
}

extension MutableSpan where Element == UInt8 {
    /// Writes a number in big-endian order, so that keys in byte order are in numeric order. Traps beyond the bytes.
    @inlinable @inline(__always)
    public mutating func store<Number: FixedWidthInteger & BitwiseCopyable>(bigEndian number: Number, at offset: Int) {
        precondition(offset >= 0 && offset <= count - MemoryLayout<Number>.size, "a number outside of the bytes")
        // SAFETY: the bounds are checked, the store needs no alignment.
        unsafe withUnsafeMutableBytes { bytes in
            unsafe bytes.storeBytes(of: number.bigEndian, toByteOffset: offset, as: Number.self)
        }
    }

    /// Writes a number in little-endian order. Traps beyond the bytes.
    @inlinable @inline(__always)
    public mutating func store<Number: FixedWidthInteger & BitwiseCopyable>(littleEndian number: Number, at offset: Int) {
        store(bigEndian: number.byteSwapped, at: offset)
    }

    /// Copies borrowed bytes to `offset`. Traps if they do not fit.
    @inlinable @inline(__always)
    public mutating func store(copying bytes: Span<UInt8>, at offset: Int) {
        precondition(offset >= 0 && offset <= count - bytes.count, "bytes outside of the bytes")
        // SAFETY: the bounds are checked, both buffers are live, and only this call has access to the target.
        unsafe withUnsafeMutableBytes { target in
            unsafe bytes.withUnsafeBytes { source in
                unsafe UnsafeMutableRawBufferPointer(rebasing: target[offset...]).copyMemory(from: source)
            }
        }
    }
}

extension Array where Element == UInt8 {
    /// Changes the number of bytes without clearing them; the caller MUST overwrite every byte next. Free for the same count.
    @inlinable @inline(__always)
    public mutating func setCount(_ wanted: Int) {
        if count > wanted { removeLast(count - wanted) }
        if count < wanted { append(contentsOf: repeatElement(0, count: wanted - count)) }
    }

    /// Appends a number in little-endian order.
    @inlinable @inline(__always)
    public mutating func append<Number: FixedWidthInteger & BitwiseCopyable>(littleEndian number: Number) {
        // SAFETY: the bytes of a local copy, which lives until they are appended.
        unsafe Swift.withUnsafeBytes(of: number.littleEndian) { bytes in unsafe append(contentsOf: bytes) }
    }

    /// Copies borrowed bytes.
    @inlinable @inline(__always)
    public init(copying bytes: Span<UInt8>) {
        self = []
        append(copying: bytes)
    }

    /// Appends borrowed bytes.
    @inlinable @inline(__always)
    public mutating func append(copying bytes: Span<UInt8>) {
        // SAFETY: the span's bytes are live during the call, which copies them.
        unsafe bytes.withUnsafeBufferPointer { bytes in unsafe append(contentsOf: bytes) }
    }
}
