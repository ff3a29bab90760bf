internal import CLMDB

extension Span where Element == UInt8 {
    /// The pointer form of a span, used only between a C call and the typed value that owns its lifetime.
    typealias Storage = UnsafeBufferPointer<UInt8>

    /// Hands the bytes to a C call as an `MDB_val`, which must not keep them.
    @inline(__always)
    func withValue<Result>(_ body: (MDB_val) throws(LMDBError) -> Result) throws(LMDBError) -> Result {
        // SAFETY: the pointer is used within the closure only; LMDB copies keys and values and never writes through them.
        try unsafe withUnsafeBufferPointer { (buffer) throws(LMDBError) -> Result in
            try unsafe body(MDB_val(buffer))
        }
    }
}

extension UInt64 {
    /// Hands the number to a C call as an eight-byte `MDB_val` in native order, which is what MDB_INTEGERKEY compares.
    @inline(__always)
    func withValue<Result>(_ body: (MDB_val) throws(LMDBError) -> Result) throws(LMDBError) -> Result {
        // SAFETY: the pointer is used within the closure only.
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

    /// The bytes as LMDB returned them: in the map, valid until the transaction ends or writes again.
    @inline(__always)
    var buffer: UnsafeBufferPointer<UInt8> {
        // SAFETY: LMDB hands out bytes; assuming them to be UInt8 is what they are.
        unsafe UnsafeBufferPointer(start: UnsafePointer(mv_data?.assumingMemoryBound(to: UInt8.self)), count: mv_size)
    }
}
