import Foundation
import Patience

/// A program that a test has started. Its output goes to files, so it never blocks on a reader.
final class Program {
    private let process = Process()
    private let outFile: URL
    private let errorFile: URL

    init(_ path: String, _ arguments: [String], variables: [String: String] = [:], in folder: TemporaryFolder) throws {
        let base = folder.file("program-\(UUID().uuidString)")
        (outFile, errorFile) = (URL(filePath: base + ".out"), URL(filePath: base + ".err"))
        process.executableURL = URL(filePath: path)
        process.arguments = arguments
        // Many of these programs crash on purpose, and printing a backtrace of each would take longer than all other work.
        let quiet = ["SWIFT_BACKTRACE": "enable=no"]
        process.environment = ProcessInfo.processInfo.environment.merging(quiet) { $1 }.merging(variables) { $1 }
        process.standardInput = FileHandle.nullDevice
        let files = [try Self.newFile(outFile), try Self.newFile(errorFile)]
        (process.standardOutput, process.standardError) = (files[0], files[1])
        try process.run()
        // The child has its own descriptors of the files. If those of this process stayed open, there would soon be a thousand, and
        // Foundation's next start of a process would read beyond its list of descriptors.
        for file in files { try file.close() }
    }

    // Uses SIGKILL, because the test runner's threads start programs with SIGTERM blocked.
    deinit { if process.isRunning { kill(process.processIdentifier, SIGKILL) } }

    var output: String { Self.text(outFile) }
    var errors: String { Self.text(errorFile) }

    /// Waits for the program to exit.
    ///
    /// - Returns: the exit code, or minus the signal that ended it.
    /// - Throws: if the program runs longer than `seconds`.
    func wait(seconds: Double = 2 * patienceSeconds) throws -> Int32 {
        let deadline = ContinuousClock.now.advanced(by: .seconds(seconds))
        while process.isRunning {
            guard ContinuousClock.now < deadline else { throw TestFailure("still running after \(seconds) s: \(errors)") }
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
