import ArgumentParser
import Console

/// Runs a command's work; what it throws is printed with its remedy on standard error and becomes the exit code.
func reportingRefusals(_ work: () async throws -> Void) async throws {
    StandardStreams.prepare()
    do {
        try await work()
    } catch let error as ExitCode {
        throw error
    } catch {
        StandardError.write("greentea: \(error)")
        throw ExitCode((error as? Refusal)?.exitCode ?? 2)
    }
}

/// Prints one line on standard output at once, whoever reads it.
func announce(_ line: String) throws(OutputError) {
    try StandardOutput.say(line)
}
