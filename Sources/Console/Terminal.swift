internal import Foundation

/// What this module asks of the process's standard error.
enum Terminal {
    /// Whether a person is likely to be looking; `TERM=dumb` cannot redraw a line.
    static var standardErrorIsTerminal: Bool {
        isatty(STDERR_FILENO) == 1 && ProcessInfo.processInfo.environment["TERM"] != "dumb"
    }

    /// A progress bar that can not be drawn is no reason to stop the work.
    static func writeToStandardError(_ text: String) {
        try? FileHandle.standardError.write(contentsOf: Data(text.utf8))
    }
}
