/// One change that a recorded program made to the files of its folder. Paths are relative to the folder; "" is the folder itself.
package enum JournalRecord: Hashable, Sendable {
    /// A new, empty file was created.
    case made(path: String)
    /// Bytes were written at an offset, into the page cache only.
    case wrote(path: String, offset: Int, bytes: [UInt8])
    /// A file was truncated or extended to a size.
    case resized(path: String, size: Int)
    /// A file now has at least this size.
    case grew(path: String, size: Int)
    /// A file or folder was flushed: all changes that the first `covered` records made to it are durable.
    case flushed(path: String, covered: Int)
    /// The write with this number used a descriptor that makes each write wait for the disk (`O_DSYNC`). Only this write became durable.
    case wroteThrough(path: String, number: Int)
    /// A folder was created.
    case folderMade(path: String)
    /// A file or folder was removed.
    case removed(path: String)
    /// A file or folder was renamed. If a file had the new name before, that file is gone.
    case renamed(path: String, new: String)
    /// A file was mapped for shared writing. Its content, and the time when it reaches the disk, are not recorded.
    case mapped(path: String)
    /// An answer is about to be written to a socket. The bytes are the beginning of the answer.
    case answered(bytes: [UInt8])
    /// A flush failed: data written to the file by the first `covered` records never reaches the disk. Programs may still read it from the
    /// page cache, and a later successful flush does not write it.
    case flushFailed(path: String, covered: Int)
}

extension JournalRecord {
    /// The name that the record is about: for a rename the old name, for an answer "".
    package var path: String {
        switch self {
        case .made(let path), .folderMade(let path), .removed(let path), .mapped(let path): path
        case .wrote(let path, _, _), .resized(let path, _), .grew(let path, _), .renamed(let path, _): path
        case .flushed(let path, _), .wroteThrough(let path, _), .flushFailed(let path, _): path
        case .answered: ""
        }
    }
}
