import Foundation

/// One program that a test has started. What it prints goes to files, so that it never waits for a reader.
final class Program {
    private let process = Process()
    private let outFile: URL
    private let errorFile: URL

    init(_ path: String, _ arguments: [String], variables: [String: String] = [:], in folder: TemporaryFolder) throws {
        let base = folder.file("program-\(UUID().uuidString)")
        (outFile, errorFile) = (URL(filePath: base + ".out"), URL(filePath: base + ".err"))
        process.executableURL = URL(filePath: path)
        process.arguments = arguments
        // Programs die here by the dozen, as they should; a backtrace of each takes longer than all the rest.
        let quiet = ["SWIFT_BACKTRACE": "enable=no"]
        process.environment = ProcessInfo.processInfo.environment.merging(quiet) { $1 }.merging(variables) { $1 }
        process.standardInput = FileHandle.nullDevice
        let files = [try Self.newFile(outFile), try Self.newFile(errorFile)]
        (process.standardOutput, process.standardError) = (files[0], files[1])
        try process.run()
        // The program has its own by now. Left open they add up to a thousand, and Foundation's next start of a process reads beyond
        // its list of them.
        for file in files { try file.close() }
    }

    // SIGKILL, for SIGTERM is blocked in what a thread of the test runner starts.
    deinit { if process.isRunning { kill(process.processIdentifier, SIGKILL) } }

    var output: String { Self.text(outFile) }
    var errors: String { Self.text(errorFile) }

    /// Waits for the end.
    ///
    /// - Returns: the exit code, or minus the signal that ended it.
    /// - Throws: when it takes longer than any of these programs may.
    func wait(seconds: Double = 3_600) throws -> Int32 {
        let deadline = Date(timeIntervalSinceNow: seconds)
        while process.isRunning {
            guard Date() < deadline else { throw TestFailure("still running after \(seconds) s: \(errors)") }
            Thread.sleep(forTimeInterval: 0.002)
        }
        return process.terminationReason == .exit ? process.terminationStatus : -process.terminationStatus
    }

    private static func newFile(_ url: URL) throws -> FileHandle {
        try Data().write(to: url)
        return try FileHandle(forWritingTo: url)
    }

    private static func text(_ url: URL) -> String {
        (try? Data(contentsOf: url)).map { String(decoding: $0, as: UTF8.self) } ?? ""
    }
}
