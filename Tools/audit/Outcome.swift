import ArgumentParser
import Audit
import Console
import EventLog
import Foundation

/// How a command ends, in the one place where that becomes an exit code.
enum Outcome {
    /// Runs a command's work.
    ///
    /// - Parameter body: says whether all is well.
    /// - Throws: exit code 1 when it is not, or the log or what it was signed for is damaged; 2 when it could not be told, with the reason
    ///   on standard error.
    static func report(_ command: String, _ body: () throws -> Bool) throws {
        StandardStreams.prepare()
        let isWell: Bool
        do { isWell = try body() } catch let error as AuditError {
            Interruption.waitIfUnderWay()
            StandardError.write("greentea-audit \(command): \(error)")
            throw ExitCode(error.code == .damaged || error.code == .checkpoint ? 1 : 2)
        } catch let error as OutputError {
            Interruption.waitIfUnderWay()
            StandardError.write("greentea-audit \(command): \(error)")
            throw ExitCode(2)
        }
        Interruption.waitIfUnderWay()
        if !isWell { throw ExitCode(1) }
    }
}

/// The notes that a command leaves in the data folder for others to see.
enum UpkeepNote {
    /// Notes that a backup or drill went well, for the age of the last one in `doctor` and in the metrics. A folder that may only be
    /// read gets none, and the command has done its work all the same.
    static func write(_ path: String, in folder: String, _ text: String) {
        do {
            try Data((text + "\n").utf8).write(to: URL(fileURLWithPath: path), options: .atomic)
            var attributes: [FileAttributeKey: Any] = [.posixPermissions: 0o644]
            if let owner = FolderOwner(foreignTo: folder) { attributes[.ownerAccountID] = NSNumber(value: owner.user) }
            try FileManager.default.setAttributes(attributes, ofItemAtPath: path)
        } catch {
            StandardError.write(
                "greentea-audit: done, but not noted in \(path), so its age will not show: \(AuditError(writing: path, error))")
        }
    }

    /// Refuses to put files of root's into another user's folder.
    ///
    /// - Throws: `AuditError` with the command to use.
    static func requireOwner(of folder: String, _ command: String) throws(AuditError) {
        guard let owner = FolderOwner(foreignTo: folder) else { return }
        throw AuditError(
            .output, "\(folder) is another user's, and files that root makes in it are closed to the service.",
            remedy: "Run: \(owner.command("greentea-audit \(command) …"))")
    }
}

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

/// One JSON object on one line, its members in the order of their names.
enum JSONLine {
    static func text(_ members: [String: Any]) -> String {
        let options: JSONSerialization.WritingOptions = [.sortedKeys, .withoutEscapingSlashes]
        guard let data = try? JSONSerialization.data(withJSONObject: members, options: options) else { return "{}" }
        return String(decoding: data, as: UTF8.self)
    }
}
