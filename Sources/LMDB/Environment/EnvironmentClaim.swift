internal import Glibc
internal import Synchronization

/// The right to open a folder: once within a process, and with one writer among all processes.
///
/// LMDB's locks belong to the process, so closing one of two openings would drop both's. The writer lock is a `flock`: the kernel releases
/// it however the process ends, and spawned programs never inherit it.
final class EnvironmentClaim: Sendable {
    private static let open = Mutex<Set<FileIdentity>>([])

    private let identity: FileIdentity
    /// Held open, so that the inode number of a deleted folder is not reused.
    private let folder: Int32
    /// Holds `writer.lock`; nil for reading.
    private let lock: Int32?

    /// - Throws: ``LMDBError`` `.missing`, `.alreadyOpen`, `.locked`, `.permission`.
    init(directory: String, writes: Bool) throws(LMDBError) {
        let folder = try Descriptor.open(directory, O_RDONLY | O_DIRECTORY)
        do {
            identity = try Self.register(folder, directory)
            lock = try Self.lock(directory, writes, identity)
        } catch {
            _ = close(folder)
            throw error
        }
        self.folder = folder
    }

    /// The writer lock goes first, so that a thread that can claim the folder also finds it unlocked.
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
