internal import CLMDB
internal import Glibc

/// An immutable file of blocks, each verified by checksum before use.
///
/// ```
/// blocks   each begins at a multiple of 4,096 bytes
/// table    for each block: u64 offset, u32 length, u32 CRC-32C of the block
/// footer   "GTBLOCKS", u64 number of the file, u64 offset of the table, u64 blocks, u32 CRC-32C of the table,
///          u32 CRC-32C of the footer before it
/// ```
/// Numbers are little-endian. A ``Seal`` stored elsewhere verifies the footer, the footer the table, and the table the blocks.
///
/// With ``Access/mapped``, the first request for a block verifies it with a plain read, so that a bad sector causes an error and not a
/// signal. ``block(_:)`` does not detect a byte that changes later, ``verifiedBlock(_:)`` does. Any thread may read.
///
/// ## Limitations
/// The file MUST NOT be truncated while it is open: if mapped, the process ends with SIGBUS.
@safe public final class BlockFile: Sendable {
    /// The length and checksum that distinguish a file from every other.
    public struct Seal: Hashable, Sendable {
        public var bytes: UInt64
        public var checksum: UInt32

        public init(bytes: UInt64, checksum: UInt32) { (self.bytes, self.checksum) = (bytes, checksum) }
    }

    struct Place: Sendable {
        let offset: Int
        let length: Int
        let checksum: UInt32
    }

    /// The way in which blocks are read.
    public enum Access: Sendable {
        /// From a memory map; each block is verified once, or at each ``verifiedBlock(_:)``.
        case mapped
        /// With ``read(_:into:)`` only; each block is verified every time.
        case plain
    }

    static let magic = Array("GTBLOCKS".utf8)
    static let pageBytes = 4_096
    static let placeBytes = 16
    static let footerBytes = 40

    public let path: String
    private let file: PlainFile
    private let places: [Place]
    // SAFETY: init maps the file for reading and deinit unmaps it. Each span borrows this object.
    private nonisolated(unsafe) let start: UnsafeMutableRawPointer?
    // SAFETY: one byte per block, changed by atomic stores only; deinit frees it.
    private nonisolated(unsafe) let checked: UnsafeMutablePointer<UInt8>

    public var blocks: Int { places.count }

    /// Opens a file, and verifies the table and the footer.
    ///
    /// - Throws: ``LMDBError`` `.missing`, `.damaged` if the file does not have `seal`, `.io`, `.mapFull`.
    public init(_ path: String, number: UInt64, seal: Seal, _ access: Access) throws(LMDBError) {
        let file = try PlainFile(path)
        let places = try Self.places(of: file, number, seal)
        var start: UnsafeMutableRawPointer?
        if access == .mapped {
            unsafe start = mmap(nil, file.count, PROT_READ, MAP_SHARED, file.descriptor, 0)
            guard unsafe start != MAP_FAILED else { throw LMDBError(number: errno, call: "mmap", path: path) }
            // Look-ups go to random places, so read-ahead would fill memory in vain.
            _ = unsafe madvise(start, file.count, MADV_RANDOM)
        }
        unsafe self.start = start
        unsafe checked = UnsafeMutablePointer<UInt8>.allocate(capacity: max(1, places.count))
        unsafe checked.initialize(repeating: 0, count: max(1, places.count))
        (self.path, self.file, self.places) = (path, file, places)
    }

    deinit {
        if let start = unsafe start { _ = unsafe munmap(start, file.count) }
        unsafe checked.deallocate()
    }

    /// Returns a block without copying it. Only for ``Access/mapped``.
    ///
    /// - Throws: ``LMDBError`` `.damaged` if there is no such block, or its bytes have changed; `.io`.
    @_lifetime(borrow self)
    @inline(__always)
    public func block(_ number: Int) throws(LMDBError) -> Span<UInt8> {
        guard number >= 0, number < places.count, let start = unsafe start else { throw damaged("there is no block \(number)") }
        let place = places[number]
        // SAFETY: the flag's index is below the capacity.
        if unsafe clmdb_flag(checked + number) == 0 { try check(number) }
        // SAFETY: the place lies within the file's length at opening; the bytes stay mapped while this object lives.
        let bytes = unsafe UnsafeRawBufferPointer(start: start + place.offset, count: place.length)
        return unsafe _overrideLifetime(Span(_unsafeElements: bytes.assumingMemoryBound(to: UInt8.self)), borrowing: self)
    }

    /// Returns a block that has the bytes that were written, also if they had changed after its first use. Only for ``Access/mapped``.
    ///
    /// - Throws: as ``block(_:)``.
    @_lifetime(borrow self)
    public func verifiedBlock(_ number: Int) throws(LMDBError) -> Span<UInt8> {
        let bytes = try block(number)
        guard CRC32C.checksum(of: bytes) == places[number].checksum else { throw damaged("block \(number) has changed") }
        return bytes
    }

    /// Reads, verifies and copies a block into a buffer.
    ///
    /// - Throws: as ``block(_:)``.
    public func read(_ number: Int, into bytes: inout [UInt8]) throws(LMDBError) {
        guard number >= 0, number < places.count else { throw damaged("there is no block \(number)") }
        let place = places[number]
        try file.read(place.length, at: place.offset, into: &bytes)
        guard CRC32C.checksum(of: bytes.span) == place.checksum else { throw damaged("block \(number) is not what was written") }
    }

    @inline(never)
    private func check(_ number: Int) throws(LMDBError) {
        var bytes: [UInt8] = []
        try read(number, into: &bytes)
        // SAFETY: the index is below the capacity, because the read has checked the block's number.
        unsafe clmdb_set_flag(checked + number)
    }

    @inline(never)
    private func damaged(_ text: String) -> LMDBError { LMDBError(.damaged, call: "pread", path: path, text: text) }

    private static func places(of file: PlainFile, _ number: UInt64, _ seal: Seal) throws(LMDBError) -> [Place] {
        func damaged(_ text: String) -> LMDBError { LMDBError(.damaged, call: "pread", path: file.path, text: text) }
        guard UInt64(file.count) == seal.bytes, file.count >= footerBytes else {
            throw damaged("\(file.count) bytes, where \(seal.bytes) were written")
        }
        var footer: [UInt8] = []
        try file.read(footerBytes, at: file.count - footerBytes, into: &footer)
        let view = footer.span
        let checksum = CRC32C.checksum(of: view.extracting(first: footerBytes - 4))
        guard checksum == seal.checksum, view.littleEndian32(at: footerBytes - 4) == checksum, Array(footer[..<8]) == magic,
            view.littleEndian64(at: 8) == number
        else { throw damaged("its footer is not what was written") }
        // The footer has the seal's checksum, so our writer wrote these numbers.
        let (tableAt, count) = (Int(clamping: view.littleEndian64(at: 16)), Int(clamping: view.littleEndian64(at: 24)))
        guard tableAt <= file.count, count <= file.count / placeBytes, tableAt + count * placeBytes + footerBytes == file.count else {
            throw damaged("its table lies elsewhere")
        }
        return try places(count, before: tableAt, of: file, checksum: view.littleEndian32(at: 32))
    }

    private static func places(_ count: Int, before tableAt: Int, of file: PlainFile, checksum: UInt32) throws(LMDBError) -> [Place] {
        var table: [UInt8] = []
        try file.read(count * placeBytes, at: tableAt, into: &table)
        let view = table.span
        guard CRC32C.checksum(of: view) == checksum else {
            throw LMDBError(.damaged, call: "pread", path: file.path, text: "its table is not what was written")
        }
        var places: [Place] = []
        places.reserveCapacity(count)
        for index in 0..<count {
            let at = index * placeBytes
            let (offset, length) = (Int(clamping: view.littleEndian64(at: at)), Int(view.littleEndian32(at: at + 8)))
            guard offset <= tableAt, length <= tableAt - offset else {
                throw LMDBError(.damaged, call: "pread", path: file.path, text: "block \(index) lies outside of it")
            }
            places.append(Place(offset: offset, length: length, checksum: view.littleEndian32(at: at + 12)))
        }
        return places
    }
}
