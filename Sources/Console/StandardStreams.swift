internal import Foundation
internal import Synchronization

/// The three streams that a process is started with.
public enum StandardStreams {
    private static let held = Mutex<[FileHandle]>([])

    /// Puts something that cannot be written in the place of streams that are closed (`>&-`).
    ///
    /// Else the next file that is opened would get the number of standard output, and results would be written into it: into a database.
    public static func fillClosed() {
        while let handle = FileHandle(forReadingAtPath: "/dev/null"), handle.fileDescriptor <= STDERR_FILENO {
            held.withLock { $0.append(handle) }
        }
    }
}
