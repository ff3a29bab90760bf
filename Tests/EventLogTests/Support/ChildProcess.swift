import Foundation
import Patience
import Testing

/// This test binary, started again for one test.
enum ChildProcess {
    /// The environment variables, by which the parent tells this process what to do.
    static let environment = ProcessInfo.processInfo.environment

    /// Starts the binary for one test; `variables` tell that test what to do.
    static func start(_ test: String, _ variables: [String: String]) throws -> Process {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe"))
        process.arguments = ["--testing-library", "swift-testing", "--filter", test]
        process.environment = environment.merging(variables) { _, new in new }
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try process.run()
        return process
    }

    /// Ends this process as in a crash: nothing is closed, and nothing is flushed.
    static func crash() { kill(getpid(), SIGKILL) }
}

extension Process {
    func ended() async {
        do { try await eventually("the child ends") { !isRunning } } catch { kill(processIdentifier, SIGKILL) }
    }
}
