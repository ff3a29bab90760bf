import ArgumentParser
import Audit
import Console
import EventLog
import Foundation

/// Converts the result of a command into its exit code.
enum Outcome {
    /// Runs a command's work, and prints an error with its remedy.
    ///
    /// Errors of lower layers are converted too, because the argument parser would end with 1, which means a finding.
    ///
    /// - Parameter body: returns whether there were no findings.
    /// - Throws: exit code 1 for a finding; exit code 2, with the reason on standard error, if the command could not be completed; an error
    ///   for the argument parser, unchanged.
    static func report(_ command: String?, damage: Int32 = 1, _ body: () throws -> Bool) throws {
        StandardStreams.prepare()
        let isWell: Bool
        do { isWell = try body() } catch {
            Interruption.waitIfUnderWay()
            if error is ExitCode || error is ValidationError { throw error }
            let known = error is OutputError ? nil : AuditError(any: error)
            StandardError.write("greentea-audit\(command.map { " \($0)" } ?? ""): \(known ?? error)")
            throw ExitCode(known?.code == .damaged || known?.code == .checkpoint ? damage : 2)
        }
        Interruption.waitIfUnderWay()
        if !isWell { throw ExitCode(1) }
    }
}

/// The notes about backups and drills in the data folder.
enum UpkeepNote {
    /// Its age is shown by `doctor` and the metrics. A failure here does not fail the command.
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

    /// The metric then has no value, and its alert fires.
    static func withdraw(_ path: String) { try? FileManager.default.removeItem(atPath: path) }

    /// - Throws: `AuditError` if root would create files in another user's folder.
    static func requireOwner(of folder: String, _ command: String) throws(AuditError) {
        guard let owner = FolderOwner(foreignTo: folder) else { return }
        throw AuditError(
            .output, "\(folder) is another user's, and files that root makes in it are closed to the service.",
            remedy: "Run: \(owner.command("greentea-audit \(command) …"))")
    }
}

/// Input and files of the commands for proofs.
enum ProofOutput {
    /// Reads a file that the user named.
    static func read(_ path: String) throws(AuditError) -> [UInt8] {
        guard let data = FileManager.default.contents(atPath: path) else {
            throw AuditError(.input, "there is no file \(path), or it cannot be read.", remedy: "Check its path and permissions.")
        }
        return [UInt8](data)
    }

    /// Refuses an existing regular file, which may be the receipt of another event. A device or a pipe is permitted.
    static func requireNew(_ path: String) throws(AuditError) {
        let real = URL(fileURLWithPath: path).resolvingSymlinksInPath().path
        let type = (try? FileManager.default.attributesOfItem(atPath: real))?[.type] as? FileAttributeType
        guard path != "-", type == .typeRegular else { return }
        throw AuditError(.occupied, "\(path) exists already, and is not replaced.", remedy: "Name another file, or remove that one first.")
    }

    /// Atomic; standard output for nil and `-`.
    static func write(_ bytes: [UInt8], to path: String?) throws {
        guard let path, path != "-" else { return try StandardOutput.hand(bytes) }
        try OutputFile.write(bytes, to: path)
    }
}

/// The lines about shown pictures whose files are missing.
enum MissingPictureText {
    private static let linesMax = 100

    static func lines(_ digits: [String], in data: String) -> [String] {
        guard let first = digits.first else { return [] }
        let more = digits.count > linesMax ? ["… and \(digits.count - linesMax) more missing pictures"] : []
        let folder = "\(data)/blobs/\(first.prefix(2))"
        let remedy =
            "what to do (pictures): take each from a backup, such as: mkdir -p \(folder) && "
            + "for f in BACKUPS/*/blobs/\(first.prefix(2))/\(first)*; do sum=$(sha256sum \"$f\" | cut -c 1-64); "
            // A backup's file may be damaged as well.
            + "[ \"${f%\"$sum\"}\" = \"$f\" ] || cp -a \"$f\" \(folder)/; done"
        return digits.prefix(linesMax).map { "missing picture: \($0)" } + more + [remedy]
    }
}

/// The placeholders for folders in printed commands and in the runbook.
enum PlaceWord {
    private static let all: Set = ["BACKUPS", "BACKUP", "COPY", "COPIES", "DIR", "DATA", "OTHER", "LAST", "SALVAGED"]

    /// Refuses a placeholder that the user has not replaced. A real folder of that name can be given as `./COPY`.
    static func refuse(_ paths: String?...) throws {
        guard let word = paths.compactMap(\.self).first(where: all.contains) else { return }
        throw ValidationError("\(word) stands for a folder of yours: put its path in the place of the word. Nothing was made.")
    }
}
