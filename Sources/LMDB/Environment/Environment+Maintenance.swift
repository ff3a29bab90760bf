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
            lastTransaction: information.me_last_txnid)
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
