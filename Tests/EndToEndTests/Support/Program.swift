import Foundation
import Patience

/// A program that a test has started. Its output goes to files, so it never blocks on a reader.
final class Program {
    private let process = Process()
    private let outFile: URL
    private let errorFile: URL

    /// Starts a product by its name, or a system program by its path.
    ///
    /// - Parameters:
    ///   - environment: variables added to this process's environment.
    ///   - device: a path that receives the standard output instead of a new file.
    init(
        _ name: String, _ arguments: [String], in folder: TemporaryFolder, environment: [String: String] = [:], device: String? = nil
    ) throws {
        let executable = URL(filePath: name.hasPrefix("/") ? name : try Products.path(of: name))
        let base = folder.file("\(executable.lastPathComponent)-\(UUID().uuidString)")
        (outFile, errorFile) = (URL(filePath: base + ".out"), URL(filePath: base + ".err"))
        process.executableURL = executable
        process.arguments = arguments
        process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        process.standardInput = FileHandle.nullDevice
        let output = try device.map { try FileHandle(forWritingTo: URL(filePath: $0)) } ?? Self.newFile(outFile)
        let errors = try Self.newFile(errorFile)
        (process.standardOutput, process.standardError) = (output, errors)
        try process.run()
        // The program has copies of both. `Process` may keep the handles until this process ends, and its `run()` in Swift 6.3.1 reads
        // beyond a buffer if over a thousand files are open (swift-corelibs-foundation, pull request 5472).
        try output.close()
        try errors.close()
    }

    deinit { if process.isRunning { kill(SIGKILL) } }

    var isRunning: Bool { process.isRunning }
    var pid: Int32 { process.processIdentifier }
    var output: String { Self.text(outFile) }
    var errors: String { Self.text(errorFile) }

    /// Sends a signal to the program, but not to the processes that it has started.
    func kill(_ signal: Int32) { Foundation.kill(process.processIdentifier, signal) }

    /// Waits for the program to exit.
    ///
    /// - Returns: the exit code, or the negated signal.
    @discardableResult
    func wait(seconds: Double = 2 * patienceSeconds) throws -> Int32 {
        let deadline = ContinuousClock.now.advanced(by: .seconds(seconds))
        while process.isRunning {
            guard ContinuousClock.now < deadline else { throw TestFailure("still running after \(seconds) s: \(errors)") }
            Thread.sleep(forTimeInterval: 0.002)
        }
        return process.terminationReason == .exit ? process.terminationStatus : -process.terminationStatus
    }

    /// Runs a product until it exits.
    static func run(
        _ name: String, _ arguments: String..., in folder: TemporaryFolder, environment: [String: String] = [:]
    ) throws -> Finished {
        let program = try Program(name, arguments, in: folder, environment: environment)
        let status = try program.wait()
        return Finished(status: status, output: program.output, errors: program.errors)
    }

    private static func newFile(_ url: URL) throws -> FileHandle {
        try Data().write(to: url)
        return try FileHandle(forWritingTo: url)
    }

    private static func text(_ url: URL) -> String {
        (try? String(contentsOf: url, encoding: .utf8)) ?? ""
    }
}
