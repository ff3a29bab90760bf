internal import Foundation

/// What the file system said no to, in words: Foundation's own description of it is a dump for programmers.
struct FileTrouble {
    /// What is the matter, without a full stop.
    let what: String
    /// What to do about it.
    let remedy: String

    /// Nil for an error that is not the file system's.
    init?(_ error: any Error) {
        let said = error as NSError
        guard let number = Self.number(said) else { return nil }
        switch number {
        case ENOENT: (what, remedy) = ("there is no such file or folder", "Check the path; the folder above must be there.")
        case ENOTDIR: (what, remedy) = ("a part of the path is a file, not a folder", "Name another path.")
        case EEXIST: (what, remedy) = ("a file is there, and a folder is needed", "Name a new or empty folder.")
        case EISDIR: (what, remedy) = ("it is a folder, and a file is needed", "Name a file.")
        case EACCES, EPERM: (what, remedy) = ("access is refused", "Check the folder's owner and permissions.")
        case EROFS: (what, remedy) = ("the file system cannot be written to", "Name another disk.")
        case ENOSPC, EDQUOT, EFBIG: (what, remedy) = ("there is no room left", "Free space, or name another disk.")
        case EBADF: (what, remedy) = ("it is closed", "Leave it open, or send it to a file.")
        case EPIPE: (what, remedy) = ("nobody reads it any more", "Let its reader go on.")
        default: (what, remedy) = (Self.words(number), "Check the disk, the path and the permissions.")
        }
    }

    /// An `errno`: of the error itself, of what lies below it, or as Foundation has made its own code of it.
    private static func number(_ said: NSError) -> Int32? {
        if said.domain == NSPOSIXErrorDomain { return Int32(said.code) }
        guard said.domain == NSCocoaErrorDomain else { return nil }
        if let below = said.userInfo[NSUnderlyingErrorKey] as? NSError { return Int32(below.code) }
        if let below = said.userInfo[NSUnderlyingErrorKey] as? POSIXError { return below.code.rawValue }
        switch CocoaError.Code(rawValue: said.code) {
        case .fileNoSuchFile, .fileReadNoSuchFile: return ENOENT
        case .fileReadNoPermission, .fileWriteNoPermission: return EACCES
        case .fileWriteFileExists: return EEXIST
        case .fileWriteOutOfSpace: return ENOSPC
        case .fileWriteVolumeReadOnly: return EROFS
        default: return EIO
        }
    }

    private static func words(_ number: Int32) -> String {
        number == EIO ? "reading or writing failed" : "reading or writing failed with error \(number) of the system"
    }
}
