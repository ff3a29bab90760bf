internal import Glibc

/// A small file beside an environment that holds one value, and must hold the old one or the new one whatever happens.
///
/// It is written beside, flushed, renamed, and the folder flushed: when ``replace(_:with:)`` has returned, the new bytes survive the
/// loss of power, and at no moment is there half a file under the name.
public enum DurableFile {
    private static let suffix = ".new"

    /// Puts bytes into the place of whatever the file held; it is made where there is none. One writer at a time.
    ///
    /// - Throws: ``LMDBError`` for a full disk, a missing folder or missing permission, with the old content in place.
    public static func replace(_ path: String, with bytes: [UInt8]) throws(LMDBError) {
        let new = path + suffix
        try write(bytes, to: new)
        // A crash here leaves the old file, and a stray one that the next call writes over.
        try rename(new, to: path)
    }

    /// Gives a file another name, in place of a file that has it already.
    ///
    /// - Throws: ``LMDBError``; the file has one name or the other.
    public static func rename(_ path: String, to other: String) throws(LMDBError) {
        // SAFETY: a plain C call on two paths.
        guard unsafe Glibc.rename(path, other) == 0 else { throw LMDBError(number: errno, call: "rename", path: path) }
        // A crash before this may show the old name again.
        try Folder.sync(Folder.parent(of: other) ?? ".")
    }

    private static func write(_ bytes: [UInt8], to path: String) throws(LMDBError) {
        // SAFETY: the descriptor is local and closed here.
        let descriptor = unsafe open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, mode_t(Limits.fileMode))
        guard descriptor >= 0 else { throw LMDBError(number: errno, call: "open", path: path) }
        defer { _ = close(descriptor) }
        var rest = bytes[...]
        while !rest.isEmpty {
            // SAFETY: the buffer is read during the call only, and no further than its count.
            let written = unsafe rest.withUnsafeBytes { buffer in unsafe Glibc.write(descriptor, buffer.baseAddress, buffer.count) }
            guard written > 0 || errno == EINTR else { throw LMDBError(number: errno, call: "write", path: path) }
            rest = rest.dropFirst(max(0, written))
        }
        guard fsync(descriptor) == 0 else { throw LMDBError(number: errno, call: "fsync", path: path) }
    }
}
