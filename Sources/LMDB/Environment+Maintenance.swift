internal import CLMDB

extension Environment {
    /// Sizes and counts of an environment.
    public struct Statistics: Sendable, Hashable {
        /// Bytes of address space reserved, and so the largest file.
        public let mapBytes: Int
        /// Bytes of the file up to its last used page.
        public let usedBytes: Int
        /// Bytes of a page.
        public let pageBytes: Int
        /// The number of the last committed write transaction, from 1.
        public let lastTransaction: Int
        /// Reader slots that were ever taken at once.
        public let readerSlotsUsed: Int
    }

    /// The operator's name for the size of the map; nil where it is no setting.
    public var mapSetting: String? { options.mapSetting }

    /// Bytes of address space that the last writer of a folder reserved; nil where there is no environment that says so.
    public static func reservedBytes(in directory: String) -> Int? { DataFile.mapBytes(in: directory) }

    /// Sizes and counts, as of the last commit.
    public var statistics: Statistics {
        var information = unsafe MDB_envinfo()
        var pages = MDB_stat()
        // SAFETY: both fill the struct handed in, and fail only without an environment.
        unsafe mdb_env_info(handle, &information)
        unsafe mdb_env_stat(handle, &pages)
        let pageBytes = Int(pages.ms_psize)
        return unsafe Statistics(
            mapBytes: information.me_mapsize, usedBytes: (information.me_last_pgno + 1) * pageBytes, pageBytes: pageBytes,
            lastTransaction: information.me_last_txnid, readerSlotsUsed: Int(information.me_numreaders))
    }

    /// Forces everything committed so far onto the disk, for an environment that does not at each commit.
    ///
    /// - Throws: ``LMDBError/Code/io``, ``LMDBError/Code/diskFull``; what was stored is then unknown.
    public func sync() throws(LMDBError) {
        // SAFETY: the environment is open.
        try Self.require(unsafe mdb_env_sync(handle, 1), "mdb_env_sync", directory)
    }

    /// Writes a compact copy of the last commit into a new or empty folder, while others read and write. Durable on return.
    ///
    /// It holds a snapshot for as long as it runs.
    ///
    /// - Throws: ``LMDBError/Code/occupied``, ``LMDBError/Code/diskFull``, ``LMDBError/Code/permission``, ``LMDBError/Code/io``.
    public func copy(to directory: String) throws(LMDBError) {
        try Folder.make(directory)
        // SAFETY: the environment is open; the path is read during the call only.
        try Self.require(unsafe mdb_env_copy2(handle, directory, UInt32(MDB_CP_COMPACT)), "mdb_env_copy2", directory)
        try Folder.sync(directory + "/data.mdb")
        try Folder.syncWithParent(directory)
    }
}
