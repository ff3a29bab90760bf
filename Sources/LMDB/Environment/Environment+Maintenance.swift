internal import CLMDB
internal import Glibc

extension Environment {
    /// Sizes and counts of an environment.
    public struct Statistics: Sendable, Hashable {
        /// Bytes of address space: the size to which the file may grow.
        public let mapBytes: Int
        /// Bytes of the file up to its last used page.
        public let usedBytes: Int
        public let pageBytes: Int
        /// The number of the last committed write transaction, from 1; 0 if there is none.
        public let lastTransaction: Int
        /// The most reader slots used at once, since no process had the environment open.
        public let readerSlotsUsed: Int
    }

    /// The setting for the size of the map, for error messages.
    public var mapSetting: String? { options.mapSetting }

    /// The greatest address space, in bytes, that a writer has reserved for a folder's environment; nil without a readable one.
    public static func reservedBytes(in directory: String) -> Int? { DataFile.mapBytes(in: directory) }

    /// Sizes and counts as of the last commit.
    public var statistics: Statistics {
        var information = unsafe MDB_envinfo()
        var pages = MDB_stat()
        // SAFETY: both calls fill their struct, and fail only without an environment.
        unsafe mdb_env_info(handle, &information)
        unsafe mdb_env_stat(handle, &pages)
        let pageBytes = Int(pages.ms_psize)
        return unsafe Statistics(
            mapBytes: information.me_mapsize, usedBytes: (information.me_last_pgno + 1) * pageBytes, pageBytes: pageBytes,
            lastTransaction: information.me_last_txnid, readerSlotsUsed: Int(information.me_numreaders))
    }

    /// Flushes all commits so far, for an environment that does not flush each.
    ///
    /// - Throws: ``LMDBError`` `.io`, `.diskFull`; it is then unknown which commits are on disk.
    public func sync() throws(LMDBError) {
        // SAFETY: the environment is open.
        try Self.require(unsafe mdb_env_sync(handle, 1), "mdb_env_sync", directory)
    }

    /// Writes a compact copy as of the last commit into a new or empty folder, durable on return. A snapshot is held meanwhile; others may
    /// read and write.
    ///
    /// - Throws: ``LMDBError`` `.occupied`, `.diskFull`, `.permission`, `.io`, `.lockDamaged`.
    public func copy(to directory: String) throws(LMDBError) {
        try requireLockFile()
        try DurableNames.makeFolder(directory)
        // SAFETY: the environment is open; the path is read only during the call.
        try Self.require(unsafe mdb_env_copy2(handle, directory, UInt32(MDB_CP_COMPACT)), "mdb_env_copy2", directory)
        try DurableNames.flush(directory + "/data.mdb")
        try DurableNames.flushWithParent(directory)
    }
}

extension Environment {
    /// After a failed assertion of LMDB.
    static let damageExitCode: Int32 = 2

    /// LMDB cannot continue after a failed assertion, so the process ends with a message instead of a trace.
    /// SAFETY: the callback captures nothing and never returns; LMDB passes the live environment and a C string.
    @unsafe static func endsOnDamage(_ handle: OpaquePointer) {
        unsafe mdb_env_set_assert(handle) { environment, message in
            let said = unsafe message.map { unsafe String(cString: $0) } ?? "an assertion"
            let text = """
                the file in \(unsafe LMDBError.path(ofEnvironment: environment)) is damaged (\(said)). \
                Keep a copy of the folder, then restore a backup.

                """
            let bytes = Array(text.utf8)
            unsafe bytes.withUnsafeBytes { buffer in _ = unsafe Glibc.write(STDERR_FILENO, buffer.baseAddress, buffer.count) }
            _exit(Environment.damageExitCode)
        }
    }
}

/// One of the two head pages.
///
/// Layout of LMDB 0.9 (`struct MDB_page`, `struct MDB_meta`) on 64-bit little-endian machines: a header of 16 bytes, then magic, version,
/// address, map size, two tables of 48 bytes (the first begins with the page size), last page, transaction.
struct MetaPage {
    private enum Offset {
        static let magic = 16
        static let version = 20
        static let mapBytes = 32
        static let pageBytes = 40
        static let freeTable = 40
        static let mainTable = 88
        static let lastPage = 136
        static let transaction = 144
        static let end = 152
    }

    private static let magic: UInt32 = 0xBEEF_C0DE
    private static let version: UInt32 = 1

    let pageBytes: Int
    /// Nil if no process can reserve it.
    let mapBytes: Int?
    let lastPage: Int
    let transaction: UInt64
    let roots: [UInt64]

    /// The page with the greater transaction number.
    ///
    /// - Throws: ``LMDBError`` `.foreign`; `.damaged` for a file without both, or impossible numbers.
    static func newest(of descriptor: Int32, _ path: String) throws(LMDBError) -> MetaPage {
        let first = try MetaPage(descriptor, at: 0, path)
        let second = try MetaPage(descriptor, at: first.pageBytes, path)
        return first.transaction >= second.transaction ? first : second
    }

    private init(_ descriptor: Int32, at offset: Int, _ path: String) throws(LMDBError) {
        let page = PageBytes(descriptor, at: offset, count: Offset.end)
        guard page.count >= Offset.version + 4 else { throw DataFile.damaged(path, "the file ends within its head") }
        guard page.load(Offset.magic, as: UInt32.self) == Self.magic else { throw Self.foreign(path, "no LMDB magic number") }
        let version = page.load(Offset.version, as: UInt32.self)
        guard version == Self.version else { throw Self.foreign(path, "format version \(version)") }
        guard page.count == Offset.end else { throw DataFile.damaged(path, "the file ends within its head") }
        pageBytes = Int(page.load(Offset.pageBytes, as: UInt32.self))
        guard (512...65_536).contains(pageBytes) else { throw DataFile.damaged(path, "a page size of \(pageBytes)") }
        let reserved = page.load(Offset.mapBytes, as: UInt64.self)
        mapBytes = reserved < 1 << 47 ? Int(reserved) : nil
        let last = page.load(Offset.lastPage, as: UInt64.self)
        guard last < 1 << 47 else { throw DataFile.damaged(path, "page number \(last)") }
        lastPage = Int(last)
        transaction = page.load(Offset.transaction, as: UInt64.self)
        roots = [Offset.freeTable + 40, Offset.mainTable + 40].map { page.load($0, as: UInt64.self) }
    }

    private static func foreign(_ path: String, _ text: String) -> LMDBError {
        LMDBError(.foreign, call: "pread", path: path, text: text)
    }
}
