import Foundation
import Patience
import Testing

/// A second process that runs one test of this test binary. It is started directly, or by a launcher such as `unshare`.
final class ChildProcess {
    static let environment = ProcessInfo.processInfo.environment

    private let process = Process()
    private let input = Pipe()

    /// Starts the test binary.
    ///
    /// - Parameter launcher: a program with its arguments that starts the binary, such as `unshare`.
    init(_ test: String, _ variables: [String: String], launcher: [String] = []) throws {
        let binary = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        let command = launcher + [binary, "--testing-library", "swift-testing", "--filter", test]
        process.executableURL = URL(fileURLWithPath: command[0])
        process.arguments = Array(command.dropFirst())
        process.environment = Self.environment.merging(variables) { _, new in new }
        process.standardInput = input
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try process.runInTime()
    }

    deinit { if process.isRunning { kill(process.processIdentifier, SIGKILL) } }

    /// Kills the process like `kill -9`, and waits until it has ended. `unshare --kill-child` also kills its child.
    func kill9() {
        kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
    }

    /// Waits until the child has written a file, and returns its content.
    ///
    /// - Throws: if the child ends without writing the file, or does not write it within ten minutes.
    func said(_ file: String) async throws -> String {
        let deadline = ContinuousClock.now.advanced(by: .seconds(600))
        while true {
            let isRunning = process.isRunning
            if let text = try? String(contentsOfFile: file, encoding: .utf8) { return text }
            guard isRunning else { throw TestFailure("the child ended with \(process.terminationStatus) and said nothing") }
            guard ContinuousClock.now < deadline else { throw TestFailure("the child has said nothing for ten minutes") }
            try await Task.sleep(for: .milliseconds(5))
        }
    }

    /// Writes a text for the parent, and waits until the parent ends or kills this process. Only the child calls this function.
    static func say(_ text: String, to file: String) throws {
        try text.write(toFile: file, atomically: true, encoding: .utf8)
        _ = try FileHandle.standardInput.readToEnd()
    }
}
