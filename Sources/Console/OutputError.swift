internal import Foundation

/// Why results could not be written to standard output: what is there is not whole.
public struct OutputError: Error, Hashable, Sendable, CustomStringConvertible {
    /// Reason and remedy in one line.
    public let description: String

    /// - Returns: nil where the reader has gone away, which is its own affair.
    init?(_ error: any Error) {
        let number = ((error as? CocoaError)?.underlying ?? error) as NSError
        switch Int32(clamping: number.code) {
        case EPIPE: return nil
        case ENOSPC, EDQUOT, EFBIG:
            self.init(reason: "there is no room left on the disk. Free some or write to another disk, then run it again")
        // Invalid where a queue of the runtime's has got the number of the closed stream, before any line of ours ran.
        case EBADF, EINVAL: self.init(reason: "it is closed. Leave it open, or redirect it to a file")
        case let other: self.init(reason: "the system reports error \(other). Redirect it to another file, then run it again")
        }
    }

    private init(reason: String) {
        description = "standard output cannot be written, what is there is not whole: \(reason)."
    }
}
