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

/// Lines to standard output, gathered so that a line costs no system call.
///
/// A reader that has gone away ends it quietly. Any other failure is kept and thrown by ``flush()``: results that are not whole must not
/// look like success.
public struct StandardOutput {
    private static let bufferBytes = 65_536

    private let file: FileHandle
    private var buffer: [UInt8] = []
    private var isOver = false
    private var failure: OutputError?

    public init() { self.init(to: .standardOutput) }

    init(to file: FileHandle) { self.file = file }

    /// Turns a closed pipe from a signal that kills into an end that ``write(_:)`` reports.
    public static func toleratesClosedPipe() {
        signal(SIGPIPE, SIG_IGN)
    }

    /// Writes one line at once.
    public static func say(_ line: String) throws(OutputError) { try say([line]) }

    /// Writes lines at once.
    public static func say(_ lines: [String]) throws(OutputError) {
        var output = StandardOutput()
        for line in lines where !output.write(line) { break }
        try output.flush()
    }

    /// Writes bytes as they are, at once.
    public static func hand(_ bytes: [UInt8]) throws(OutputError) {
        var output = StandardOutput()
        output.buffer = bytes
        try output.flush()
    }

    /// - Returns: whether it is of any use to go on.
    @discardableResult
    public mutating func write(_ line: String) -> Bool {
        buffer.append(contentsOf: line.utf8)
        buffer.append(UInt8(ascii: "\n"))
        if buffer.count >= Self.bufferBytes { hand() }
        return !isOver
    }

    /// Hands over what is gathered. Must be called at the end.
    ///
    /// - Throws: what kept this or an earlier line from being written.
    public mutating func flush() throws(OutputError) {
        hand()
        if let failure { throw failure }
    }

    private mutating func hand() {
        defer { buffer.removeAll(keepingCapacity: true) }
        guard !isOver, !buffer.isEmpty else { return }
        do { try file.write(contentsOf: Data(buffer)) } catch { (isOver, failure) = (true, OutputError(error)) }
    }
}

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

/// Lines for people that are no results. Where they cannot be written there is nobody left to tell.
public enum StandardError {
    /// Writes one line at once.
    public static func write(_ line: String) {
        try? FileHandle.standardError.write(contentsOf: Data((line + "\n").utf8))
    }
}
