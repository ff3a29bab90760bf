internal import CLMDB
internal import Glibc

/// A file opened for reading with plain calls: a sector that cannot be read is an error, not a signal.
///
/// Its content can be read for as long as this object lives, also after the file has lost its name.
public final class PlainFile: Sendable {
    /// The file, as it was opened.
    public let path: String
    /// Bytes, as of the opening.
    public let count: Int
    let descriptor: Int32

    /// - Throws: ``LMDBError/Code/missing``, ``LMDBError/Code/permission``, ``LMDBError/Code/io``.
    public init(_ path: String) throws(LMDBError) {
        // SAFETY: a plain C call on a path; the descriptor is closed by deinit.
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

    /// Fills an array with so many bytes from an offset on.
    ///
    /// - Throws: ``LMDBError/Code/damaged`` when the file ends first, ``LMDBError/Code/io``.
    public func read(_ count: Int, at offset: Int, into bytes: inout [UInt8]) throws(LMDBError) {
        bytes.setCount(count)
        var done = 0
        while done < count {
            // SAFETY: reads at most what is left of the array, into it.
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

/// A new file that is written in sequence and flushed once.
///
/// Its content counts only after ``flush()`` has returned. After a call that threw, the file must be discarded: it is unknown which bytes
/// of a failed flush are on disk. One thread at a time writes.
public final class SequentialFile: Sendable {
    /// Bytes after which the system is asked to begin writing them out, so that the flush at the end is short.
    private static let bytesHeld = 8 << 20

    private let path: String
    private let descriptor: Int32

    /// Makes a file, in place of one that has the name already.
    ///
    /// - Throws: ``LMDBError/Code/diskFull``, ``LMDBError/Code/missing`` without the folder, ``LMDBError/Code/permission``.
    public init(_ path: String) throws(LMDBError) {
        // SAFETY: a plain C call on a path; the descriptor is closed by deinit.
        descriptor = unsafe open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, mode_t(Limits.fileMode))
        guard descriptor >= 0 else { throw LMDBError(number: errno, call: "open", path: path) }
        self.path = path
    }

    deinit { _ = close(descriptor) }

    /// Appends bytes.
    ///
    /// - Parameter end: of the file after it.
    /// - Throws: ``LMDBError/Code/diskFull``, ``LMDBError/Code/io``.
    public func append(_ bytes: Span<UInt8>, end: Int) throws(LMDBError) {
        var done = 0
        while done < bytes.count {
            // SAFETY: the bytes are live during the call, which reads no further than what is left of them.
            let written = unsafe bytes.withUnsafeBufferPointer { buffer in
                unsafe write(descriptor, buffer.baseAddress! + done, buffer.count - done)
            }
            guard written > 0 || errno == EINTR else { throw LMDBError(number: errno, call: "write", path: path) }
            done += max(0, written)
        }
        let begin = end - bytes.count
        if begin / Self.bytesHeld < end / Self.bytesHeld {
            // A hint: that it fails says nothing about the bytes, and a later flush says it again.
            clmdb_begin_writing(descriptor, Int64(end))
        }
    }

    /// Makes the content durable. The name is the folder's: see ``DurableNames/flush(_:)``.
    ///
    /// - Throws: ``LMDBError/Code/io``, ``LMDBError/Code/diskFull``.
    public func flush() throws(LMDBError) {
        guard fsync(descriptor) == 0 else { throw LMDBError(number: errno, call: "fsync", path: path) }
    }
}
