internal import CLMDB
internal import Glibc

/// An immutable file of blocks. Each block has a checksum that is verified before the block is used.
///
/// ```
/// blocks   each begins at a multiple of 4,096 bytes
/// table    for each block: u64 offset, u32 length, u32 CRC-32C of the block
/// footer   "GTBLOCKS", u64 number of the file, u64 offset of the table, u64 blocks, u32 CRC-32C of the table,
///          u32 CRC-32C of the footer before it
/// ```
/// Numbers are little-endian. ``Seal`` holds the file's length and the footer's checksum. A caller that stores the seal elsewhere can tell
/// this file from any other: the seal verifies the footer, the footer the table, and the table the blocks.
///
/// With ``Access/mapped``, the first request for a block verifies it with a plain read. This request and later ones then return the bytes
/// in the map. So an unreadable sector causes an error instead of a signal, and the verification, which takes 2 µs, happens once for each
/// block. A byte that changes later, in memory or on disk, is not detected. Any thread may read.
///
/// ## Limitations
/// The file MUST NOT be truncated while it is open. The length is compared at opening. If the file is mapped, truncation after that ends
/// the process with SIGBUS.
@safe public final class BlockFile: Sendable {
    /// The length and checksum that distinguish a file from every other file.
    public struct Seal: Hashable, Sendable {
        /// Bytes of the file.
        public var bytes: UInt64
        /// The footer's checksum.
        public var checksum: UInt32

        /// Creates a seal from stored values.
        public init(bytes: UInt64, checksum: UInt32) { (self.bytes, self.checksum) = (bytes, checksum) }
    }

    /// The offset, length and checksum of a block.
    struct Place: Sendable {
        let offset: Int
        let length: Int
        let checksum: UInt32
    }

    /// The way in which blocks are read.
    public enum Access: Sendable {
        /// The blocks are read from a memory map. Each block is verified once.
        case mapped
        /// The blocks are read with ``read(_:into:)`` only. Each block is verified every time.
        case plain
    }

    static let magic = Array("GTBLOCKS".utf8)
    static let pageBytes = 4_096
    static let placeBytes = 16
    static let footerBytes = 40

    /// The path of the file.
    public let path: String
    private let file: PlainFile
    private let places: [Place]
    // SAFETY: init maps the file for reading and deinit unmaps it. No span outlives this object, because each span borrows it.
    private nonisolated(unsafe) let start: UnsafeMutableRawPointer?
    // SAFETY: one byte per block, changed by atomic stores only; deinit frees it.
    private nonisolated(unsafe) let checked: UnsafeMutablePointer<UInt8>

    /// The number of blocks.
    public var blocks: Int { places.count }

    /// Opens a file whose length and checksum are known. Reads and verifies the table and the footer.
    ///
    /// - Throws: ``LMDBError/Code/missing``, ``LMDBError/Code/damaged`` if the file is not the one that `seal` describes,
    ///   ``LMDBError/Code/io``, ``LMDBError/Code/mapFull``.
    public init(_ path: String, number: UInt64, seal: Seal, _ access: Access) throws(LMDBError) {
        let file = try PlainFile(path)
        let places = try Self.places(of: file, number, seal)
        var start: UnsafeMutableRawPointer?
        if access == .mapped {
            unsafe start = mmap(nil, file.count, PROT_READ, MAP_SHARED, file.descriptor, 0)
            guard unsafe start != MAP_FAILED else { throw LMDBError(number: errno, call: "mmap", path: path) }
            // Look-ups go to random places, so read-ahead would fill memory with pages that no look-up requested.
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
    /// - Throws: ``LMDBError/Code/damaged`` if there is no such block, or if its bytes have changed; ``LMDBError/Code/io``.
    @_lifetime(borrow self)
    @inline(__always)
    public func block(_ number: Int) throws(LMDBError) -> Span<UInt8> {
        guard number >= 0, number < places.count, let start = unsafe start else { throw damaged("there is no block \(number)") }
        let place = places[number]
        // SAFETY: the flag's index is below the capacity.
        if unsafe clmdb_flag(checked + number) == 0 { try check(number) }
        // SAFETY: the place was compared with the file's length at opening; the bytes stay mapped while this object lives.
        let bytes = unsafe UnsafeRawBufferPointer(start: start + place.offset, count: place.length)
        return unsafe _overrideLifetime(Span(_unsafeElements: bytes.assumingMemoryBound(to: UInt8.self)), borrowing: self)
    }

    /// Reads a block from the file, verifies it and copies it into a buffer.
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
        // SAFETY: the flag's index is below the capacity, because the read before has checked the block's number.
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
        // The footer has the checksum of the seal, so these are the numbers that our writer wrote.
        let (tableAt, count) = (Int(clamping: view.littleEndian64(at: 16)), Int(clamping: view.littleEndian64(at: 24)))
        guard tableAt <= file.count, count <= file.count / placeBytes, tableAt + count * placeBytes + footerBytes == file.count else {
            throw damaged("its table lies elsewhere")
        }
        return try places(count, before: tableAt, of: file, checksum: view.littleEndian32(at: 32))
    }

    private static func places(
        _ count: Int, before tableAt: Int, of file: PlainFile, checksum: UInt32
    ) throws(LMDBError) -> [Place] {
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
