internal import Glibc

extension Environment {
    /// Folder in which an environment stands until it is whole.
    private static let workshopName = "/new"

    /// Makes the environment of a folder whole or not at all: power may be lost at any moment, and the next call begins anew.
    ///
    /// It is filled in a folder of its own, flushed, and only then given its name, while this process holds the writer's lock. What
    /// an earlier call was making when it was cut short is removed; an environment that is there is left as it is.
    ///
    /// - Parameter fill: stores what belongs in it; it MUST NOT keep the environment.
    /// - Throws: as ``init(directory:access:options:)`` for writing; what `fill` throws, with nothing made.
    public static func make(
        in directory: String, options: Options = .init(), _ fill: (Environment) throws(LMDBError) -> Void
    ) throws(LMDBError) {
        try Folder.make(directory)
        let lock = try WriterLock.take(in: directory)
        defer { WriterLock.release(lock) }
        if FileIdentity(of: directory + "/data.mdb") != nil { return }
        let workshop = directory + workshopName
        clear(workshop)
        try fillNew(workshop, options, fill)
        // A crash before this leaves a folder that the next call clears; after it, the whole environment under its name.
        try move(workshop + "/data.mdb", to: directory + "/data.mdb")
        clear(workshop)
        try Folder.syncWithParent(directory)
    }

    /// The environment is closed when this returns.
    private static func fillNew(
        _ workshop: String, _ options: Options, _ fill: (Environment) throws(LMDBError) -> Void
    ) throws(LMDBError) {
        var options = options
        options.durability = .everyCommit
        let environment = try Environment(directory: workshop, access: .readWrite, options: options)
        try fill(environment)
        try environment.sync()
    }

    private static func move(_ old: String, to new: String) throws(LMDBError) {
        try Folder.sync(old)
        // SAFETY: a plain C call on two paths.
        if unsafe rename(old, new) != 0 { throw LMDBError(number: errno, call: "rename", path: new) }
    }

    /// Removes the files that an environment consists of, and their folder; it is no error when they are not there.
    private static func clear(_ workshop: String) {
        for name in ["/data.mdb", "/lock.mdb", "/writer.lock"] {
            // SAFETY: plain C calls on a path.
            _ = unsafe unlink(workshop + name)
        }
        _ = unsafe rmdir(workshop)
    }
}
