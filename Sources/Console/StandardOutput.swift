internal import Foundation

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

    /// Writes one line at once, whoever reads it.
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
