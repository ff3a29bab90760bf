/// A lock between processes that is a file, held until the last reference goes or the process ends, however it ends.
///
/// The file says which process holds it. It is never removed, so that there is one file to agree on.
public final class FileLock: Sendable {
    /// Of the lock file.
    public let path: String
    private let descriptor: Int32

    /// Takes the lock without waiting; the file is made where there is none.
    ///
    /// - Throws: ``LMDBError/Code/locked`` naming the holder, ``LMDBError/Code/missing`` without the folder,
    ///   ``LMDBError/Code/permission``, ``LMDBError/Code/io``.
    public init(_ path: String) throws(LMDBError) {
        descriptor = try WriterLock.take(at: path)
        self.path = path
    }

    /// Takes the writer's lock of an environment's folder, so that nobody opens it for writing meanwhile.
    ///
    /// - Throws: as ``init(_:)``.
    public convenience init(writerOf directory: String) throws(LMDBError) {
        try self.init(WriterLock.path(in: directory))
    }

    deinit { WriterLock.release(descriptor) }
}
