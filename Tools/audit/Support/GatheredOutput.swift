import Audit

/// Lines of a result that come one by one, gathered so that a line costs no system call.
struct GatheredOutput {
    private static let linesMax = 1_024

    private var lines: [String] = []
    private var failure: AuditError?

    /// - Returns: whether there is any use in more lines.
    mutating func append(_ line: String) -> Bool {
        lines.append(line)
        if lines.count >= Self.linesMax { flush() }
        return failure == nil
    }

    /// Writes what is left.
    ///
    /// - Throws: what kept the first lines that were not written from being so.
    mutating func finish() throws(AuditError) {
        flush()
        if let failure { throw failure }
    }

    private mutating func flush() {
        guard failure == nil else { return }
        do throws(AuditError) { try StandardOutput.write(lines) } catch { failure = error }
        lines.removeAll(keepingCapacity: true)
    }
}
