internal import CLMDB
internal import Glibc

/// A file that is read with system calls instead of a memory map, so that an unreadable sector causes an error instead of a signal.
///
/// The file's content can be read for as long as this object lives, even after the file has been renamed or removed.
public final class PlainFile: Sendable {
    /// The path with which the file was opened.
    public let path: String
    /// The file's size in bytes when it was opened.
    public let count: Int
    let descriptor: Int32

    /// Opens a file for reading.
    ///
    /// - Throws: ``LMDBError/Code/missing``, ``LMDBError/Code/permission``, ``LMDBError/Code/io``.
    public init(_ path: String) throws(LMDBError) {
        // SAFETY: a plain C call on a path; deinit closes the descriptor.
        descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw LMDBError(number: errno, call: "open", path: path) }
        guard let size = FileIdentity(of: descriptor)?.size else {
            let number = errno
            _ = close(descriptor)
            throw LMDBError(number: number, call: "fstat", path: path)
        }
        (self.path, count) = (path, size)
    }

    deinit { _ = close(descriptor) }

    /// Reads `count` bytes, beginning at `offset`, into an array. The bytes replace the array's content.
    ///
    /// - Throws: ``LMDBError/Code/damaged`` if the file ends before the last of these bytes, ``LMDBError/Code/io``.
    public func read(_ count: Int, at offset: Int, into bytes: inout [UInt8]) throws(LMDBError) {
        bytes.setCount(count)
        var done = 0
        while done < count {
            // SAFETY: writes into the part of the array that is not filled yet, and no further than the array's end.
            let got = unsafe bytes.withUnsafeMutableBytes { buffer in
                unsafe pread(descriptor, buffer.baseAddress! + done, count - done, offset + done)
            }
            if got < 0 && errno == EINTR { continue }
            guard got >= 0 else { throw LMDBError(number: errno, call: "pread", path: path) }
            guard got > 0 else { throw LMDBError(.damaged, call: "pread", path: path, text: "it ends before byte \(offset + count)") }
            done += got
        }
    }
}

/// A new file that is written sequentially and flushed once.
///
/// Use its content only after ``flush()`` has returned. After an error the file must be discarded, because it is unknown which bytes of a
/// failed flush are on disk. Only one thread may write at a time.
public final class SequentialFile: Sendable {
    /// Each time that this many more bytes were appended, the system is asked to begin writing them to disk, so that the final flush is
    /// short.
    private static let bytesHeld = 8 << 20

    private let path: String
    private let descriptor: Int32

    /// Creates a file. An existing file of the same name is emptied.
    ///
    /// - Throws: ``LMDBError/Code/diskFull``, ``LMDBError/Code/missing`` if the folder does not exist, ``LMDBError/Code/permission``.
    public init(_ path: String) throws(LMDBError) {
        // SAFETY: a plain C call on a path; deinit closes the descriptor.
        descriptor = unsafe open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, mode_t(Limits.fileMode))
        guard descriptor >= 0 else { throw LMDBError(number: errno, call: "open", path: path) }
        self.path = path
    }

    deinit { _ = close(descriptor) }

    /// Appends bytes.
    ///
    /// - Parameter end: the file's length after these bytes, which the caller counts.
    /// - Throws: ``LMDBError/Code/diskFull``, ``LMDBError/Code/io``.
    public func append(_ bytes: Span<UInt8>, end: Int) throws(LMDBError) {
        var done = 0
        while done < bytes.count {
            // SAFETY: the bytes are live during the call, which reads no further than their end.
            let written = unsafe bytes.withUnsafeBufferPointer { buffer in
                unsafe write(descriptor, buffer.baseAddress! + done, buffer.count - done)
            }
            guard written > 0 || errno == EINTR else { throw LMDBError(number: errno, call: "write", path: path) }
            done += max(0, written)
        }
        let begin = end - bytes.count
        if begin / Self.bytesHeld < end / Self.bytesHeld {
            // This call is only a hint to the system, so its failure is ignored. The later flush reports real errors.
            clmdb_begin_writing(descriptor, Int64(end))
        }
    }

    /// Makes the file's content durable. To make the file's name durable too, flush its folder; see ``DurableNames/flush(_:)``.
    ///
    /// - Throws: ``LMDBError/Code/io``, ``LMDBError/Code/diskFull``.
    public func flush() throws(LMDBError) {
        guard fsync(descriptor) == 0 else { throw LMDBError(number: errno, call: "fsync", path: path) }
    }
}
