internal import Foundation
internal import Synchronization

/// The three streams that a process is started with, and what becomes of writing where that cannot be.
public enum StandardStreams {
    private static let held = Mutex<[FileHandle]>([])

    /// Call first in every program. It puts something that cannot be written in the place of streams that are closed (`>&-`): else the next
    /// file that is opened would get the number of standard output, and results would be written into it, into a database. And it makes a
    /// file that is not to grow any further (`ulimit -f`) an error of the write, like a full disk, in place of a signal that ends the
    /// process without a word.
    public static func prepare() {
        signal(SIGXFSZ, SIG_IGN)
        while let handle = FileHandle(forReadingAtPath: "/dev/null"), handle.fileDescriptor <= STDERR_FILENO {
            held.withLock { $0.append(handle) }
        }
    }
}
