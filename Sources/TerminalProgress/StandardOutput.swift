import Foundation

/// Lines to standard output, gathered so that a line costs no system call. A reader that has gone away ends it quietly.
struct StandardOutput {
    private static let bufferBytes = 65_536

    private var buffer = Data()
    private var isClosed = false

    /// Turns a closed pipe from a signal that kills into an error that ``write(_:)`` reports.
    static func toleratesClosedPipe() {
        signal(SIGPIPE, SIG_IGN)
    }

    /// - Returns: whether somebody still reads.
    @discardableResult
    mutating func write(_ line: String) -> Bool {
        buffer.append(contentsOf: line.utf8)
        buffer.append(UInt8(ascii: "\n"))
        if buffer.count >= Self.bufferBytes { flush() }
        return !isClosed
    }

    mutating func flush() {
        guard !isClosed else { return }
        do { try FileHandle.standardOutput.write(contentsOf: buffer) } catch { isClosed = true }
        buffer.removeAll(keepingCapacity: true)
    }
}
