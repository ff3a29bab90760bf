import ArgumentParser
import Foundation

/// Runs a command's work; what it throws is printed with its remedy on standard error and becomes the exit code.
func reportingRefusals(_ work: () async throws -> Void) async throws {
    do {
        try await work()
    } catch let error as ExitCode {
        throw error
    } catch {
        FileHandle.standardError.write(Data("greentea: \(error)\n".utf8))
        throw ExitCode((error as? Refusal)?.exitCode ?? 2)
    }
}

/// Prints one line on standard output at once, whoever reads it.
func announce(_ line: String) {
    FileHandle.standardOutput.write(Data((line + "\n").utf8))
}
