/// One thing that a recorded program did to the files of its folder. Paths are relative to it; "" is the folder itself.
package enum JournalRecord: Hashable, Sendable {
    /// A file that was not there, empty.
    case made(path: String)
    /// Bytes written at an offset; they are in the page cache, no more.
    case wrote(path: String, offset: Int, bytes: [UInt8])
    /// A file cut or stretched to a size.
    case resized(path: String, size: Int)
    /// A file that has at least this size now.
    case grew(path: String, size: Int)
    /// A file or folder flushed: what was recorded for it among the first `covered` records is on disk.
    case flushed(path: String, covered: Int)
    /// The write of this number went through a descriptor that waits for the disk: it alone is on disk.
    case wroteThrough(path: String, number: Int)
    /// A folder made.
    case folderMade(path: String)
    /// A name removed.
    case removed(path: String)
    /// A name changed; what the new one named is gone.
    case renamed(path: String, new: String)
    /// A file mapped for shared writing: what it holds, and when that reaches the disk, is not recorded.
    case mapped(path: String)
    /// The beginning of an answer that is about to be written to a socket.
    case answered(bytes: [UInt8])
    /// A flush that failed: what was written to the file among the first `covered` records never reaches the disk. Programs may go on
    /// reading it from the page cache, and a later flush that succeeds does not cover it.
    case flushFailed(path: String, covered: Int)
}

extension JournalRecord {
    /// The name that it is about; of a renaming the old one.
    package var path: String {
        switch self {
        case .made(let path), .folderMade(let path), .removed(let path), .mapped(let path): path
        case .wrote(let path, _, _), .resized(let path, _), .grew(let path, _), .renamed(let path, _): path
        case .flushed(let path, _), .wroteThrough(let path, _), .flushFailed(let path, _): path
        case .answered: ""
        }
    }
}
