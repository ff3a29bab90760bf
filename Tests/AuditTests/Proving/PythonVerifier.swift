import Foundation
import Patience

/// Runs `Tools/lib/verify_tlog.py`, which follows the specifications and shares no code with the project.
enum PythonVerifier {
    private static let interpreter = ["/usr/bin/python3", "/usr/local/bin/python3", "/opt/homebrew/bin/python3"]
        .first { FileManager.default.isExecutableFile(atPath: $0) }
    private static let script = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../../Tools/lib/verify_tlog.py")
        .path

    /// True if Python is installed; tests that need it are skipped otherwise.
    static var isThere: Bool { interpreter != nil }

    /// Runs the verifier and returns its exit status and output.
    static func run(_ arguments: [String]) throws -> (status: Int32, text: String) {
        let process = Process()
        process.executableURL = URL(filePath: interpreter ?? "/usr/bin/python3")
        process.arguments = ["-B", script] + arguments
        let output = Pipe()
        process.standardOutput = output
        process.standardError = output
        try process.runInTime()
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        return (process.terminationStatus, text)
    }
}
