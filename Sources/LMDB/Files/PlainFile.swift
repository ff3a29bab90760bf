internal import CLMDB
internal import Glibc

/// A file that is read with system calls instead of a map, so that an unreadable sector causes an error and not a signal.
///
/// It stays readable after it has been renamed or removed.
public final class PlainFile: Sendable {
    public let path: String
    /// The size in bytes at opening.
    public let count: Int
    let descriptor: Int32

    /// Opens a file for reading.
    ///
    /// - Throws: ``LMDBError`` `.missing`, `.permission`, `.io`.
    public init(_ path: String) throws(LMDBError) {
        descriptor = try Descriptor.open(path, O_RDONLY)
        guard let size = FileIdentity(of: descriptor)?.size else {
            let number = errno
            _ = close(descriptor)
            throw LMDBError(number: number, call: "fstat", path: path)
        }
        (self.path, count) = (path, size)
    }

    deinit { _ = close(descriptor) }

    /// Reads `count` bytes from `offset` on, which replace the array's content.
    ///
    /// - Throws: ``LMDBError`` `.damaged` if the file ends earlier, `.io`.
    public func read(_ count: Int, at offset: Int, into bytes: inout [UInt8]) throws(LMDBError) {
        bytes.setCount(count)
        guard try Descriptor.read(descriptor, at: offset, into: &bytes, path) == count else {
            throw LMDBError(.damaged, call: "pread", path: path, text: "it ends before byte \(offset + count)")
        }
    }
}

/// Calls of the system that complete, or throw an ``LMDBError`` with the path.
enum Descriptor {
    /// The caller closes the descriptor, which programs do not inherit.
    static func open(_ path: String, _ flags: Int32) throws(LMDBError) -> Int32 {
        // SAFETY: a plain C call on a path.
        let descriptor = unsafe Glibc.open(path, flags | O_CLOEXEC, mode_t(Limits.fileMode))
        guard descriptor >= 0 else { throw LMDBError(number: errno, call: "open", path: path) }
        return descriptor
    }

    /// Fills the array from `offset` on, and returns the number of bytes read: fewer only at the file's end.
    static func read(_ descriptor: Int32, at offset: Int, into bytes: inout [UInt8], _ path: String) throws(LMDBError) -> Int {
        var done = 0
        while done < bytes.count {
            // SAFETY: writes into the unfilled part of the array only.
            let got = unsafe bytes.withUnsafeMutableBytes { buffer in
                unsafe pread(descriptor, buffer.baseAddress! + done, buffer.count - done, offset + done)
            }
            if got < 0 && errno == EINTR { continue }
            guard got >= 0 else { throw LMDBError(number: errno, call: "pread", path: path) }
            if got == 0 { break }
            done += got
        }
        return done
    }
}

/// A new file that is written sequentially and flushed once.
///
/// Use it only after ``flush()``. Discard it after an error, because it is unknown which bytes of a failed flush are on disk. Only one
/// thread may write at a time.
public final class SequentialFile: Sendable {
    /// After this much the system begins writing, so that the final flush is short.
    private static let bytesHeld = 8 << 20

    private let path: String
    private let descriptor: Int32

    /// Creates a file, or empties an existing one.
    ///
    /// - Throws: ``LMDBError`` `.diskFull`, `.missing` if the folder does not exist, `.permission`.
    public init(_ path: String) throws(LMDBError) {
        descriptor = try Descriptor.open(path, O_WRONLY | O_CREAT | O_TRUNC)
        self.path = path
    }

    deinit { _ = close(descriptor) }

    /// Appends bytes.
    ///
    /// - Parameter end: the file's length after them.
    /// - Throws: ``LMDBError`` `.diskFull`, `.io`.
    public func append(_ bytes: Span<UInt8>, end: Int) throws(LMDBError) {
        var done = 0
        while done < bytes.count {
            // SAFETY: the bytes are live during the call, which reads no further than their end.
            let written = unsafe bytes.withUnsafeBufferPointer { buffer in
                unsafe write(descriptor, buffer.baseAddress! + done, buffer.count - done)
            }
            if written < 0 && errno == EINTR { continue }
            guard written > 0 else { throw LMDBError(number: errno, call: "write", path: path) }
            done += written
        }
        let begin = end - bytes.count
        if begin / Self.bytesHeld < end / Self.bytesHeld {
            // Only a hint; the later flush reports real errors.
            clmdb_begin_writing(descriptor, Int64(end))
        }
    }

    /// Makes the content durable; for the file's name, flush its folder with ``DurableNames/flush(_:)``.
    ///
    /// - Throws: ``LMDBError`` `.io`, `.diskFull`.
    public func flush() throws(LMDBError) {
        guard fsync(descriptor) == 0 else { throw LMDBError(number: errno, call: "fsync", path: path) }
    }
}
