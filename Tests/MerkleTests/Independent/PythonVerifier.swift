import Foundation
import Patience

/// Runs `Tools/lib/verify_tlog.py`, which is based on the specifications and uses none of our code.
enum PythonVerifier {
    private static let interpreter = ["/usr/bin/python3", "/usr/local/bin/python3", "/opt/homebrew/bin/python3"]
        .first { FileManager.default.isExecutableFile(atPath: $0) }

    /// Whether there is an interpreter; without one, the tests are skipped.
    static var isThere: Bool { interpreter != nil }

    /// Runs the verifier, and returns its exit status and output.
    static func run(_ arguments: String...) throws -> (status: Int32, text: String) {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: interpreter ?? "/usr/bin/python3")
        process.arguments = ["-B", Fixture.verifier] + arguments
        let output = Pipe()
        process.standardOutput = output
        process.standardError = output
        try process.runInTime()
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        return (process.terminationStatus, text)
    }
}
