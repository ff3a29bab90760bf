internal import CLMDB

extension Environment {
    /// Opens the files, with less address space when the process may not reserve what was asked for.
    @unsafe static func open(
        _ directory: String, access: Access, options: Options, isNew: Bool
    ) throws(LMDBError) -> OpaquePointer {
        do {
            try LockFile.allocate(in: directory, maxReaders: options.maxReaders)
            try LockFile.clearOwnSlots(in: directory)
            let handle = try unsafe openHalving(directory, access: access, options: options)
            // A slot of a process that died would keep its pages from reuse; a failure here costs no more than that.
            unsafe mdb_reader_check(handle, nil)
            if isNew && options.durability == .everyCommit { try Folder.syncWithParent(directory) }
            return unsafe handle
        } catch {
            // A first open that failed for want of space would else leave an empty file that looks like a truncated log.
            if isNew { DataFile.removeIfEmpty(in: directory) }
            throw error
        }
    }

    @unsafe private static func openHalving(
        _ directory: String, access: Access, options: Options
    ) throws(LMDBError) -> OpaquePointer {
        var mapBytes = options.mapSizeMax ?? max(options.mapSizeDefault, DataFile.mapBytes(in: directory) ?? 0)
        while true {
            do {
                return try unsafe openOnce(directory, flags: flags(access, options), mapBytes: mapBytes, options)
            } catch {
                guard error.code == .mapFull, mapBytes / 2 >= Limits.mapBytesFloor else { throw error }
                mapBytes /= 2
            }
        }
    }

    /// NOTLS: a snapshot belongs to its value, not to a thread. Never WRITEMAP: it would make the file as large as the map.
    /// Read-ahead stays on, because the log is scanned from end to end.
    private static func flags(_ access: Access, _ options: Options) -> Int32 {
        var flags = MDB_NOTLS
        if access == .readOnly { flags |= MDB_RDONLY }
        if options.durability == .none { flags |= MDB_NOSYNC }
        if !options.zeroesPages { flags |= MDB_NOMEMINIT }
        return flags
    }

    // SAFETY: the handle is closed on every failing path, as LMDB asks for even after a failed open.
    @unsafe private static func openOnce(
        _ directory: String, flags: Int32, mapBytes: Int, _ options: Options
    ) throws(LMDBError) -> OpaquePointer {
        var created: OpaquePointer?
        try require(unsafe mdb_env_create(&created), "mdb_env_create", directory)
        let handle = unsafe created!
        do {
            if options.endsOnDamage { unsafe endsOnDamage(handle) }
            try require(unsafe mdb_env_set_maxdbs(handle, UInt32(options.tables)), "mdb_env_set_maxdbs", directory)
            try require(unsafe mdb_env_set_maxreaders(handle, UInt32(options.maxReaders)), "mdb_env_set_maxreaders", directory)
            try require(unsafe mdb_env_set_mapsize(handle, mapBytes), "mdb_env_set_mapsize", directory)
            let mode = mdb_mode_t(Limits.fileMode)
            try require(unsafe mdb_env_open(handle, directory, UInt32(flags), mode), "mdb_env_open", directory)
            return unsafe handle
        } catch {
            unsafe mdb_env_close(handle)
            throw error
        }
    }

    static func require(_ number: Int32, _ call: String, _ directory: String) throws(LMDBError) {
        guard number != 0 else { return }
        throw LMDBError(number: number, call: call, path: directory)
    }
}
