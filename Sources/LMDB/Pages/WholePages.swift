internal import CLMDB
internal import Glibc

extension Environment {
    /// Requires that every page of the last commit is well-formed, and that the folder's file is the open one. It uses plain reads, because
    /// a damaged page in the map can end the process.
    ///
    /// MUST be called before a table is opened. Takes as long as reading the file, and needs tables with one value per key.
    ///
    /// - Throws: ``LMDBError`` `.damaged` with the page; as ``snapshot()``.
    public func requireWholePages() throws(LMDBError) {
        try requireInPlace()
        try requireLockFile()
        let hold = try SnapshotHold(self)
        let file = try PageFile(in: directory)
        // A head page read in the middle of a commit looks damaged, but not twice.
        guard try file.damage(asOf: hold.number) != nil, let damage = try file.damage(asOf: hold.number) else { return }
        throw damage
    }

    /// Opens a folder for reading and requires that its pages are whole.
    ///
    /// - Throws: as ``requireWholePages()`` and the opening.
    public static func whole(_ directory: String, options: Options = .init()) throws(LMDBError) -> Environment {
        // The engine trusts the head pages while it opens the file.
        try requireWholePages(in: directory, headsOnly: true)
        do { return try openedWhole(directory, options) } catch {
            // A server may have replaced the file meanwhile, with another count of commits than the lock file's.
            guard error.code == .damaged || error.code == .lockDamaged else { throw error }
            return try openedWhole(directory, options)
        }
    }

    private static func openedWhole(_ directory: String, _ options: Options) throws(LMDBError) -> Environment {
        let environment = try Environment(directory: directory, access: .readOnly, options: options)
        try environment.requireWholePages()
        return environment
    }

    /// Requires the same of a folder without opening it. No process may write to it meanwhile.
    ///
    /// - Parameter headsOnly: looks at the two head pages only, which takes no time.
    /// - Throws: ``LMDBError`` `.damaged`, `.foreign`, `.missing`, `.permission`.
    public static func requireWholePages(in directory: String, headsOnly: Bool = false) throws(LMDBError) {
        guard try PageFile(in: directory).damage(headsOnly: headsOnly) != nil else { return }
        if let damage = try PageFile(in: directory).damage(headsOnly: headsOnly) { throw damage }
    }

    /// Requires that the folder's file is the open one. If it was removed or replaced, later commits are lost at the end of the process.
    ///
    /// - Throws: ``LMDBError`` `.damaged`, with the path under which the open file can still be copied.
    public func requireInPlace() throws(LMDBError) {
        let path = directory + "/data.mdb"
        guard FileIdentity(of: descriptor) != FileIdentity(of: path) else { return }
        throw DataFile.damaged(path, "it was removed or replaced; the open one is \(openFile) while this process runs")
    }

    /// The path under which the open file can be read while this process runs, also after it was removed or moved.
    public var openFile: String { "/proc/\(getpid())/fd/\(descriptor)" }

    private var descriptor: Int32 {
        var descriptor: Int32 = -1
        // SAFETY: the environment is open; the call stores one number.
        unsafe mdb_env_get_fd(handle, &descriptor)
        return descriptor
    }
}

extension PageFile {
    fileprivate func damage(asOf transaction: UInt64? = nil, headsOnly: Bool = false) throws(LMDBError) -> LMDBError? {
        let head = if let held = transaction.flatMap({ self.head(of: $0) }) { held } else { try newestHead() }
        let found = FirstFindings()
        // After a copy has replaced the file, the head pages are no neighbours.
        headFindings(comparing: false).forEach(found.add)
        if !headsOnly { FileWalk(self, head: head, replaces: true) { found.add($0) }.run() }
        return found.cause.map { DataFile.damaged(path, "\($0)") }
    }
}
