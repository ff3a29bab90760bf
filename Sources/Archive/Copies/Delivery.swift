public import Audit
internal import Crypto
internal import Foundation
internal import LMDB
internal import Merkle

/// Sends a backup to a command's standard input, as a tar stream.
///
/// The backup gets its final name only after the command succeeded, so a failed increment's events are sent again. The backup stores the
/// command's digest. An increment is sent only if the same command received all its predecessors, so the destination has no gap.
public struct Delivery: Sendable {
    private static let recordName = "delivered"
    private let command: String

    public init(through command: String) { self.command = command }

    /// Records the command's digest in a folder, and sends the folder. After a failure, the caller MUST delete the folder.
    ///
    /// - Throws: ``AuditError/Code/output``.
    public func deliver(_ folder: String, _ name: String) throws(AuditError) {
        let path = folder + "/" + Self.recordName
        do {
            try Data((record + "\n").utf8).write(to: URL(fileURLWithPath: path))
            try FileManager.default.setAttributes([.posixPermissions: 0o640], ofItemAtPath: path)
            try DurableNames.flush(path)
        } catch { throw AuditError(writing: path, error) }
        try send(folder, name)
    }

    /// Only the digest is stored, because the command may contain a password and the file is sent with the backup.
    private var record: String { "sha256 " + Hexadecimal.text(SHA256.hash(data: Data(command.utf8))) }

    func hasSent(_ backup: String) -> Bool { Self.record(of: backup) == record }

    static func isSent(_ backup: String) -> Bool { record(of: backup) != nil }

    private static func record(of backup: String) -> String? {
        (try? String(contentsOfFile: backup + "/" + recordName, encoding: .utf8))?.trimmingCharacters(in: .newlines)
    }

    /// - Throws: ``AuditError/Code/input`` if it did not; like ``BackupChain/init(to:)``.
    public func requireSent(_ parent: String) throws(AuditError) {
        guard let link = try BackupChain(to: parent).paths.first(where: { !hasSent($0) }) else { return }
        throw AuditError(
            .input, "this command never got \(link): an increment onto \(parent) could not be restored from what it got.",
            remedy: "Send a full backup first: leave --parent out.")
    }

    /// Sends a folder as a tar stream whose paths begin with `name`, and waits until the command ends.
    ///
    /// A stream that was not read to its end is an error even if the command exits with 0. A command that ends early while the rest still
    /// fits into the pipe (usually 64 KiB) is detected by its exit code alone.
    ///
    /// - Throws: ``AuditError/Code/output`` for an exit code other than 0, or an incomplete stream.
    public func send(_ folder: String, _ name: String) throws(AuditError) {
        let (tar, receiver, pipe) = (Process(), Process(), Pipe())
        tar.executableURL = URL(fileURLWithPath: "/bin/tar")
        tar.arguments = Self.arguments(folder, name)
        tar.standardOutput = pipe
        receiver.executableURL = URL(fileURLWithPath: "/bin/sh")
        receiver.arguments = ["-c", command]
        // Standard output is for this program's results.
        (receiver.standardInput, receiver.standardOutput) = (pipe, FileHandle.standardError)
        // Turns the signal of a closed pipe into an error of tar.
        signal(SIGPIPE, SIG_IGN)
        do {
            try receiver.run()
            defer { try? pipe.fileHandleForWriting.close() }
            try tar.run()
        } catch { throw AuditError(writing: "to the command '\(command)'", error) }
        try? pipe.fileHandleForReading.close()
        tar.waitUntilExit()
        receiver.waitUntilExit()
        let status = receiver.terminationStatus
        guard receiver.terminationReason == .exit, status == 0 else {
            let end = receiver.terminationReason == .exit ? "with \(status)" : "by signal \(status)"
            throw AuditError(.output, "the command '\(command)' ended \(end).", remedy: "There is no new backup. Mend it, and try again.")
        }
        guard tar.terminationReason == .exit, tar.terminationStatus == 0 else {
            throw AuditError(.output, "the backup was not sent whole; tar has said why.", remedy: "There is no new backup. Try again.")
        }
    }

    /// In the replacement of a path's beginning, three characters have a meaning of their own.
    private static func arguments(_ folder: String, _ name: String) -> [String] {
        let quoted = name.reduce(into: "") { text, character in text += "\\&,".contains(character) ? "\\\(character)" : "\(character)" }
        return [
            "--create", "--directory", folder, "--sort=name", "--owner=0", "--group=0", "--numeric-owner", "--mtime=@0",
            "--mode=u=rwX,go=", "--transform=s,^\\.,\(quoted),", ".",
        ]
    }
}
