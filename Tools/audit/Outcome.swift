import ArgumentParser
import Audit
import Console
import EventLog
import Foundation

/// Converts the result of a command into its exit code.
enum Outcome {
    /// Runs a command's work.
    ///
    /// - Parameters:
    ///   - damage: the exit code if the log or its signed checkpoint is damaged. It is 1 for a command that searches for damage. It is 2
    ///     for a command that answers another question, because that question then has no answer.
    ///   - body: returns whether there were no findings.
    /// - Throws: exit code 1 for a finding; exit code 2, with the reason on standard error, if the command could not be completed.
    static func report(_ command: String, damage: Int32 = 1, _ body: () throws -> Bool) throws {
        StandardStreams.prepare()
        let isWell: Bool
        do { isWell = try body() } catch {
            Interruption.waitIfUnderWay()
            throw try Failure.reported(error, by: "greentea-audit \(command)", damage: damage)
        }
        Interruption.waitIfUnderWay()
        if !isWell { throw ExitCode(1) }
    }
}

/// The end of a command that could not be completed.
private enum Failure {
    /// Prints an error with its remedy on standard error, and converts it into the exit code.
    ///
    /// An error of a lower layer is converted first. Otherwise the argument parser would end the program with 1, which means a finding.
    ///
    /// - Parameter damage: the exit code if the log or its signed checkpoint is damaged.
    /// - Throws: an error for the argument parser, unchanged.
    static func reported(_ error: any Error, by command: String, damage: Int32) throws -> ExitCode {
        if error is ExitCode || error is ValidationError { throw error }
        if let error = error as? OutputError {
            StandardError.write("\(command): \(error)")
            return ExitCode(2)
        }
        let known = AuditError(any: error)
        StandardError.write("\(command): \(known)")
        return ExitCode(known.code == .damaged || known.code == .checkpoint ? damage : 2)
    }
}

/// The notes about backups and drills that a command writes to the data folder.
enum UpkeepNote {
    /// Records a successful backup or drill, so that `doctor` and the metrics can show the age of the last one. If the record cannot be
    /// written, a message says so on standard error, and the command still succeeds.
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

    /// Removes the note of an earlier success, which does not hold any more. The metric then has no value, and its alert fires.
    static func withdraw(_ path: String) { try? FileManager.default.removeItem(atPath: path) }

    /// Refuses a command by which root would create files in another user's folder.
    ///
    /// - Throws: `AuditError` with the command to use instead.
    static func requireOwner(of folder: String, _ command: String) throws(AuditError) {
        guard let owner = FolderOwner(foreignTo: folder) else { return }
        throw AuditError(
            .output, "\(folder) is another user's, and files that root makes in it are closed to the service.",
            remedy: "Run: \(owner.command("greentea-audit \(command) …"))")
    }
}

/// Input, output and exit codes of the commands for proofs.
enum ProofOutput {
    /// Runs a command's work. An error is printed with its remedy, and converted into the exit code.
    static func reporting(_ work: () throws -> Void) throws {
        StandardStreams.prepare()
        do { try work() } catch { throw try Failure.reported(error, by: "greentea-audit", damage: 1) }
    }

    /// Prints a line of results.
    static func say(_ line: String) throws(OutputError) { try StandardOutput.say(line) }

    /// Prints one JSON object with sorted names, so that the same result gives the same line.
    static func say(json value: some Encodable) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        try say(String(decoding: try encoder.encode(value), as: UTF8.self))
    }

    /// Reads a file that the user named.
    static func read(_ path: String) throws(AuditError) -> [UInt8] {
        guard let data = FileManager.default.contents(atPath: path) else {
            throw AuditError(.input, "there is no file \(path), or it cannot be read.", remedy: "Check its path and permissions.")
        }
        return [UInt8](data)
    }

    /// Refuses a path at which a regular file already exists, because that file may be the receipt of another event.
    ///
    /// - Throws: `AuditError` if a regular file exists at `path`. A device or a pipe is permitted.
    static func requireNew(_ path: String) throws(AuditError) {
        let real = URL(fileURLWithPath: path).resolvingSymlinksInPath().path
        let type = (try? FileManager.default.attributesOfItem(atPath: real))?[.type] as? FileAttributeType
        guard path != "-", type == .typeRegular else { return }
        throw AuditError(.occupied, "\(path) exists already, and is not replaced.", remedy: "Name another file, or remove that one first.")
    }

    /// Writes a file atomically, or writes to standard output if `path` is nil or `-`.
    static func write(_ bytes: [UInt8], to path: String?) throws {
        guard let path, path != "-" else { return try StandardOutput.hand(bytes) }
        try OutputFile.write(bytes, to: path)
    }
}

/// The lines about pictures that shops and campaigns show and whose files are missing.
enum MissingPictureText {
    private static let linesMax = 100

    /// - Parameter digits: the digits with which the names of the files begin.
    static func lines(_ digits: [String], in data: String) -> [String] {
        guard let first = digits.first else { return [] }
        let more = digits.count > linesMax ? ["… and \(digits.count - linesMax) more missing pictures"] : []
        let folder = "\(data)/blobs/\(first.prefix(2))"
        let remedy =
            "what to do (pictures): take each from a backup, such as: mkdir -p \(folder) && "
            + "for f in BACKUPS/*/blobs/\(first.prefix(2))/\(first)*; do cp -a \"$f\" \(folder)/; done"
        return digits.prefix(linesMax).map { "missing picture: \($0)" } + more + [remedy]
    }
}

/// One JSON object on one line, with its members in the order of their names.
enum JSONLine {
    static func text(_ members: [String: Any]) -> String {
        let options: JSONSerialization.WritingOptions = [.sortedKeys, .withoutEscapingSlashes]
        guard let data = try? JSONSerialization.data(withJSONObject: members, options: options) else { return "{}" }
        return String(decoding: data, as: UTF8.self)
    }

    /// Ranges of positions as pairs of their first and last position.
    static func ranges(_ ranges: [ClosedRange<UInt64>]) -> [[UInt64]] { ranges.map { [$0.lowerBound, $0.upperBound] } }
}

/// The placeholders for folders in printed commands and in the runbook.
enum PlaceWord {
    private static let all: Set = ["BACKUPS", "BACKUP", "COPY", "COPIES", "DIR", "DATA", "OTHER", "LAST", "SALVAGED"]

    /// Refuses a command in which the user has not replaced a placeholder by the path of a folder.
    ///
    /// - Throws: `ValidationError` if a path is a placeholder. A real folder of that name can be given as `./COPY`.
    static func refuse(_ paths: String?...) throws {
        guard let word = paths.compactMap(\.self).first(where: all.contains) else { return }
        throw ValidationError("\(word) stands for a folder of yours: put its path in the place of the word. Nothing was made.")
    }
}
