import ArgumentParser
import Audit
import Console
import Foundation

/// How the proving commands read, print and end.
enum ProofOutput {
    /// Runs a command's work: what it throws is printed with its remedy, and becomes the exit code.
    static func reporting(_ work: () throws -> Void) throws {
        StandardStreams.prepare()
        do { try work() } catch let error as AuditError {
            StandardError.write("greentea-audit: \(error)")
            throw ExitCode(error.code == .checkpoint || error.code == .damaged ? 1 : 2)
        } catch let error as OutputError {
            StandardError.write("greentea-audit: \(error)")
            throw ExitCode(2)
        }
    }

    /// A line of results.
    static func say(_ line: String) throws(OutputError) { try StandardOutput.say(line) }

    /// One JSON object with its names in order, so that the same result is the same line.
    static func say(json value: some Encodable) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        try say(String(decoding: try encoder.encode(value), as: UTF8.self))
    }

    /// The bytes of a file that was handed in.
    static func read(_ path: String) throws(AuditError) -> [UInt8] {
        guard let data = FileManager.default.contents(atPath: path) else {
            throw AuditError(.input, "there is no file \(path), or it cannot be read.", remedy: "Check its path and permissions.")
        }
        return [UInt8](data)
    }

    /// Writes a file whole, or to standard output where no path is given.
    static func write(_ bytes: [UInt8], to path: String?) throws {
        guard let path, path != "-" else { return try StandardOutput.hand(bytes) }
        try OutputFile.write(bytes, to: path)
    }
}
