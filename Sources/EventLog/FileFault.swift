internal import Foundation

/// What kept a file from being read or written, in words for whoever has to mend it.
///
/// Foundation's errors print their domain, their number and a dictionary; what the operating system said is inside. Whatever is no
/// error of Foundation's keeps its own words.
public struct FileFault: Error, Hashable, Sendable, CustomStringConvertible {
    /// A clause about the file, without a full stop: "there is no room left on the disk".
    public let description: String
    /// What to do about it: a sentence.
    public let remedy: String

    /// Of an error that an operation on a file threw.
    public init(_ error: any Error) {
        self = (error as? FileFault) ?? FileFault(system: error) ?? FileFault(words: "\(error)")
    }

    /// Nil for an error that is not the file system's.
    public init?(system error: any Error) {
        switch error {
        case let error as POSIXError: self.init(number: error.code.rawValue)
        case let error as CocoaError: self.init(cocoa: error)
        default: return nil
        }
    }

    /// In words of one's own.
    public init(words: String, remedy: String = "Check the path, the folder's owner and permissions, and the disk.") {
        (description, self.remedy) = (words, remedy)
    }

    /// There is nothing under that name.
    public static let missing = FileFault(
        words: "there is no such file", remedy: "Check the path; the folder above must be there.")
    /// A folder lies where a file should.
    public static let isFolder = FileFault(words: "it is a folder, not a file", remedy: "Name a file.")
    /// A file lies where a folder should.
    public static let isNoFolder = FileFault(words: "it is a file, not a folder", remedy: "Name a new or empty folder.")
    /// The user may not.
    public static let forbidden = FileFault(
        words: "this user may not read or write it", remedy: "Check the folder's owner and permissions.")
    /// Nothing can be written.
    public static let full = FileFault(words: "there is no room left on the disk", remedy: "Free space, or name another disk.")

    private init(cocoa error: CocoaError) {
        if let cause = error.underlying {
            let number = (cause as? POSIXError)?.code.rawValue ?? Int32(clamping: (cause as NSError).code)
            self.init(number: number)
        } else {
            self.init(code: error.code, words: error.localizedDescription)
        }
    }

    /// Foundation's own code, where it does not say what the system said.
    private init(code: CocoaError.Code, words: String) {
        switch code {
        case .fileNoSuchFile, .fileReadNoSuchFile: self = .missing
        case .fileReadNoPermission, .fileWriteNoPermission: self = .forbidden
        case .fileWriteFileExists: self.init(number: EEXIST)
        case .fileWriteOutOfSpace: self = .full
        case .fileWriteVolumeReadOnly: self.init(number: EROFS)
        case .fileReadInapplicableStringEncoding, .fileReadCorruptFile: self.init(words: "it is not readable text")
        default: self.init(words: words)
        }
    }

    /// - Parameter number: `errno`.
    init(number: Int32) {
        switch number {
        case ENOENT: self = .missing
        case EISDIR: self = .isFolder
        case EEXIST: self.init(words: "something else of that name is in the way", remedy: "Name a new or empty folder.")
        case ENOTDIR: self.init(words: "a part of its path is a file, not a folder", remedy: "Name another path.")
        case EACCES, EPERM: self = .forbidden
        case ENOSPC, EDQUOT, EFBIG: self = .full
        case EROFS: self.init(words: "the disk can only be read", remedy: "Name another disk.")
        case EIO: self.init(words: "the disk reports an error")
        case EMFILE, ENFILE: self.init(words: "too many files are open")
        case ENAMETOOLONG: self.init(words: "its name is too long")
        default: self.init(words: "the system reports error \(number)")
        }
    }
}
