internal import Glibc
internal import Synchronization

/// The right to have a folder open: once in this process, and as the only writer among processes.
///
/// LMDB's locks belong to the process, so opening a folder twice in one loses them silently at the first close. The writer
/// lock is a `flock`, which the kernel drops with the process however that ends; it is never inherited by a spawned program.
final class EnvironmentClaim: Sendable {
    private static let open = Mutex<Set<FileIdentity>>([])

    private let identity: FileIdentity
    /// The folder itself, held open so that its inode number is not given to another folder once it is deleted.
    private let folder: Int32
    /// The locked descriptor of `writer.lock`; nil for reading.
    private let lock: Int32?

    /// - Throws: ``LMDBError/Code/missing`` without the folder, ``LMDBError/Code/alreadyOpen``, ``LMDBError/Code/locked``,
    ///   ``LMDBError/Code/permission``.
    init(directory: String, writes: Bool) throws(LMDBError) {
        // SAFETY: a plain C call on a path; the descriptor is closed on every failing path, or kept.
        let folder = unsafe Glibc.open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard folder >= 0 else { throw LMDBError(number: errno, call: "open", path: directory) }
        do {
            identity = try Self.register(folder, directory)
            lock = try Self.lock(directory, writes, identity)
        } catch {
            _ = close(folder)
            throw error
        }
        self.folder = folder
    }

    /// Lets go of the lock first: whoever finds the folder unclaimed must find it unlocked, too.
    deinit {
        if let lock { WriterLock.release(lock) }
        _ = Self.open.withLock { $0.remove(identity) }
        _ = close(folder)
    }

    private static func register(_ folder: Int32, _ directory: String) throws(LMDBError) -> FileIdentity {
        guard let identity = FileIdentity(of: folder) else { throw LMDBError(number: errno, call: "fstat", path: directory) }
        if open.withLock({ $0.insert(identity).inserted }) { return identity }
        throw LMDBError(.alreadyOpen, call: "fstat", path: directory, text: "the same device and inode")
    }

    private static func lock(_ directory: String, _ writes: Bool, _ identity: FileIdentity) throws(LMDBError) -> Int32? {
        guard writes else { return nil }
        do {
            return try WriterLock.take(in: directory)
        } catch {
            _ = open.withLock { $0.remove(identity) }
            throw error
        }
    }
}
