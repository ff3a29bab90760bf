internal import CLMDB
internal import Glibc

extension Environment {
    /// Requires that every page of the last commit has the storage engine's format, and that the folder's file is the one that is open.
    /// The pages are read with plain reads, and not through the map: the engine trusts what it maps, so a damaged page can end the process.
    ///
    /// MUST be called before a table is opened, which reads pages, or again while the environment is in use. Takes as long as reading the
    /// file, so it is meant for small ones. It is made for tables without several values for a key, and without large values that small
    /// ones replace.
    ///
    /// - Throws: ``LMDBError/Code/damaged`` with the page; as ``snapshot()``.
    public func requireWholePages() throws(LMDBError) {
        try requireInPlace()
        // Keeps the pages from being reused by a writer in another process.
        let hold = try SnapshotHold(self)
        let file = try PageFile(in: directory)
        let head = if let held = file.head(of: hold.number) { held } else { try file.newestHead() }
        let found = FirstFindings()
        // The two head pages are not compared: after a copy has replaced the file, they are no neighbours.
        file.headFindings(comparing: false).forEach(found.add)
        FileWalk(file, head: head) { found.add($0) }.run()
        if let cause = found.cause { throw DataFile.damaged(file.path, "\(cause)") }
    }

    /// Requires that the folder's file is the one that is open. Otherwise something removed or replaced it, and what is committed from then
    /// on is lost at the end of the process.
    ///
    /// - Throws: ``LMDBError/Code/damaged``, with the path under which the open file can still be copied.
    public func requireInPlace() throws(LMDBError) {
        let path = directory + "/data.mdb"
        var descriptor: Int32 = -1
        // SAFETY: the environment is open; the call stores one number.
        unsafe mdb_env_get_fd(handle, &descriptor)
        guard FileIdentity(of: descriptor) != FileIdentity(of: path) else { return }
        throw DataFile.damaged(
            path, "it was removed or replaced; the open one is /proc/\(getpid())/fd/\(descriptor) while this process runs")
    }
}
