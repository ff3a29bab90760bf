import ArgumentParser
import Foundation
import TerminalProgress

/// Runs a command's work; what it throws is printed with its remedy on standard error and becomes the exit code.
func reportingRefusals(_ work: () async throws -> Void) async throws {
    StandardStreams.fillClosed()
    do {
        try await work()
    } catch let error as ExitCode {
        throw error
    } catch {
        complain("greentea: \(error)")
        throw ExitCode((error as? Refusal)?.exitCode ?? 2)
    }
}

/// Prints one line on standard output at once, whoever reads it.
func announce(_ line: String) throws(OutputError) {
    try StandardOutput.say(line)
}

/// Prints one line on standard error. Where that cannot be written there is nobody left to tell.
func complain(_ line: String) {
    try? FileHandle.standardError.write(contentsOf: Data((line + "\n").utf8))
}
