internal import Foundation
internal import Synchronization

/// The preparation of a process's three standard streams.
public enum StandardStreams {
    private static let held = Mutex<[FileHandle]>([])

    /// Prepares the standard streams. Call this first in every program.
    ///
    /// A read-only placeholder takes each closed stream (`>&-`), or results would be written into the next opened file, such as a database.
    /// The signal at a size limit (`ulimit -f`) becomes a write error.
    public static func prepare() {
        signal(SIGXFSZ, SIG_IGN)
        while let handle = FileHandle(forReadingAtPath: "/dev/null"), handle.fileDescriptor <= STDERR_FILENO {
            held.withLock { $0.append(handle) }
        }
    }
}

/// Writes buffered lines to standard output.
///
/// If the reader has closed the pipe, output ends silently. Any other failure is thrown by ``flush()``, because incomplete results must not
/// look like success.
public struct StandardOutput {
    private static let bufferBytes = 65_536

    private let file: FileHandle
    private var buffer: [UInt8] = []
    private var isOver = false
    private var failure: OutputError?

    public init() { self.init(to: .standardOutput) }

    init(to file: FileHandle) { self.file = file }

    /// Ignores the signal for a closed pipe, so that ``write(_:)`` reports it instead.
    public static func toleratesClosedPipe() { signal(SIGPIPE, SIG_IGN) }

    public static func say(_ line: String) throws(OutputError) { try say([line]) }

    public static func say(_ lines: [String]) throws(OutputError) {
        var output = StandardOutput()
        for line in lines where !output.write(line) { break }
        try output.flush()
    }

    /// Writes bytes unchanged, at once.
    public static func hand(_ bytes: [UInt8]) throws(OutputError) {
        var output = StandardOutput()
        output.buffer = bytes
        try output.flush()
    }

    /// Adds a line. Returns false if a write has failed, so that further output is useless.
    @discardableResult
    public mutating func write(_ line: String) -> Bool {
        buffer.append(contentsOf: line.utf8)
        buffer.append(UInt8(ascii: "\n"))
        if buffer.count >= Self.bufferBytes { hand() }
        return !isOver
    }

    /// Writes the buffered lines; MUST be called at the end. Throws the error of this or an earlier write.
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

/// The reason why results could not be written completely to standard output.
public struct OutputError: Error, Hashable, Sendable, CustomStringConvertible {
    public let description: String

    /// Nil if the reader has closed the pipe, which is not an error.
    init?(_ error: any Error) {
        let number = ((error as? CocoaError)?.underlying ?? error) as NSError
        switch Int32(clamping: number.code) {
        case EPIPE: return nil
        case ENOSPC, EDQUOT, EFBIG:
            self.init(reason: "there is no room left on the disk. Free some or write to another disk, then run it again")
        // EINVAL: standard output was closed, and the runtime's own queue got its descriptor before our code ran.
        case EBADF, EINVAL: self.init(reason: "it is closed. Leave it open, or redirect it to a file")
        case let other: self.init(reason: "the system reports error \(other). Redirect it to another file, then run it again")
        }
    }

    private init(reason: String) { description = "standard output cannot be written, what is there is not whole: \(reason)." }
}

/// Messages for people that are not results; errors are ignored.
public enum StandardError {
    public static func write(_ line: String) { try? FileHandle.standardError.write(contentsOf: Data((line + "\n").utf8)) }
}
