internal import CLMDB

extension Span where Element == UInt8 {
    /// Used only between a C call and the creation of the span, which carries the lifetime.
    typealias Storage = UnsafeBufferPointer<UInt8>

    /// The call must not keep the bytes.
    @inline(__always)
    func withValue<Result>(_ body: (MDB_val) throws(LMDBError) -> Result) throws(LMDBError) -> Result {
        // SAFETY: the pointer is used only within the closure. LMDB copies keys and values and never writes through them.
        try unsafe withUnsafeBufferPointer { (buffer) throws(LMDBError) -> Result in
            try unsafe body(MDB_val(buffer))
        }
    }
}

extension UInt64 {
    /// Eight bytes in native order, which MDB_INTEGERKEY compares.
    @inline(__always)
    func withValue<Result>(_ body: (MDB_val) throws(LMDBError) -> Result) throws(LMDBError) -> Result {
        // SAFETY: the pointer is used only within the closure.
        try unsafe withUnsafeBytes(of: self) { (bytes) throws(LMDBError) -> Result in
            let pointer = unsafe UnsafeMutableRawPointer(mutating: bytes.baseAddress)
            return try unsafe body(MDB_val(mv_size: 8, mv_data: pointer))
        }
    }
}

extension MDB_val {
    @inline(__always)
    init(_ buffer: UnsafeBufferPointer<UInt8>) {
        unsafe self.init(mv_size: buffer.count, mv_data: UnsafeMutableRawPointer(mutating: buffer.baseAddress))
    }

    /// Valid until the transaction ends or writes again.
    @inline(__always)
    var buffer: UnsafeBufferPointer<UInt8> {
        // SAFETY: LMDB returns plain bytes, which may be accessed as UInt8.
        unsafe UnsafeBufferPointer(start: UnsafePointer(mv_data?.assumingMemoryBound(to: UInt8.self)), count: mv_size)
    }
}
