internal import Glibc

/// `lock.mdb`: LMDB's table of readers, mapped and shared between processes.
///
/// LMDB makes it sparse and writes to it through the map, so that on a full disk the first write is a SIGBUS. Allocating its
/// blocks before makes that an error. Only while this process has the folder claimed and not yet open: closing any descriptor
/// of this file drops the locks that the process holds on it.
enum LockFile {
    /// Bytes of the file's head (`struct MDB_txninfo` without its first slot), and of one reader's slot.
    private static let headBytes = 128
    private static let slotBytes = 64

    /// Makes the file for `maxReaders` unless it exists, which another process may have mapped at just its size.
    ///
    /// - Throws: ``LMDBError/Code/diskFull``. Where the file may not be written, or the file system can not allocate, it does nothing.
    static func allocate(in directory: String, maxReaders: Int) throws(LMDBError) {
        let path = directory + "/lock.mdb"
        // SAFETY: plain C calls on a path and a local descriptor, closed here.
        let descriptor = unsafe open(path, O_RDWR | O_CREAT | O_CLOEXEC, mode_t(Limits.fileMode))
        guard descriptor >= 0 else { return }
        defer { _ = close(descriptor) }
        guard FileIdentity(of: path)?.size == 0 else { return }
        let number = posix_fallocate(descriptor, 0, headBytes + maxReaders * slotBytes)
        if LMDBError.Code(number: number) == .diskFull { throw LMDBError(number: number, call: "posix_fallocate", path: path) }
    }
}
