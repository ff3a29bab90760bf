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

    /// Requires that this command received all backups of the chain that ends with `parent`.
    ///
    /// - Throws: ``AuditError/Code/input``; like ``BackupChain/init(to:)``.
    public func requireSent(_ parent: String) throws(AuditError) {
        guard let link = try BackupChain(to: parent).paths.first(where: { !hasSent($0) }) else { return }
        throw AuditError(
            .input, "this command never got \(link): an increment onto \(parent) could not be restored from what it got.",
            remedy: "Send a full backup first: leave --parent out.")
    }

    /// Sends a folder as a tar stream whose paths begin with `name`, and waits until the command ends.
    ///
    /// A failed write is an error even if the command exits with 0. A command that ends early while the rest still fits into the pipe
    /// (usually 64 KiB) is detected by its exit code alone.
    ///
    /// - Throws: ``AuditError/Code/output`` for an exit code other than 0, or a failed write.
    public func send(_ folder: String, _ name: String) throws(AuditError) {
        let process = Process()
        let pipe = Pipe()
        process.executableURL = URL(fileURLWithPath: "/bin/sh")
        process.arguments = ["-c", command]
        process.standardInput = pipe
        // Standard output is for this program's results.
        process.standardOutput = FileHandle.standardError
        // Turns the signal of a closed pipe into an error of the write.
        signal(SIGPIPE, SIG_IGN)
        do { try process.run() } catch { throw AuditError(writing: "to the command '\(command)'", error) }
        var failure: AuditError?
        do throws(AuditError) {
            try TarStream { bytes in try pipe.fileHandleForWriting.write(contentsOf: Data(bytes)) }.write(folder, as: name)
        } catch { failure = error }
        try? pipe.fileHandleForWriting.close()
        process.waitUntilExit()
        let status = process.terminationStatus
        guard process.terminationReason == .exit, status == 0 else {
            let end = process.terminationReason == .exit ? "with \(status)" : "by signal \(status)"
            throw AuditError(.output, "the command '\(command)' ended \(end).", remedy: "There is no new backup. Mend it, and try again.")
        }
        if let failure { throw failure }
    }
}

/// A tar stream in the format ustar (POSIX.1-1988), with larger sizes in base 256, as GNU and BSD tar write them.
struct TarStream {
    private static let blockBytes = 512
    private static let pieceBytes = 1 << 20
    private static let nameBytesMax = 100
    private static let prefixBytesMax = 155

    private let sink: ([UInt8]) throws -> Void

    init(to sink: @escaping ([UInt8]) throws -> Void) { self.sink = sink }

    /// Writes a folder's content, ordered by name, and the end of the stream.
    ///
    /// - Throws: ``AuditError/Code/output``.
    func write(_ folder: String, as name: String) throws(AuditError) {
        do {
            try sink(try header(name + "/", bytes: 0, mode: 0o700, isFolder: true))
            for path in try FileManager.default.subpathsOfDirectory(atPath: folder).sorted() {
                let kind = try FileManager.default.attributesOfItem(atPath: folder + "/" + path)[.type] as? FileAttributeType
                if kind == .typeDirectory {
                    try sink(try header("\(name)/\(path)/", bytes: 0, mode: 0o700, isFolder: true))
                } else {
                    try write(file: folder + "/" + path, as: "\(name)/\(path)")
                }
            }
            try sink([UInt8](repeating: 0, count: 2 * Self.blockBytes))
        } catch { throw AuditError(writing: "the backup to the command", error) }
    }

    private func write(file path: String, as name: String) throws {
        let file = try FileHandle(forReadingFrom: URL(fileURLWithPath: path))
        defer { try? file.close() }
        let size = Int(try file.seekToEnd())
        try file.seek(toOffset: 0)
        try sink(try header(name, bytes: size, mode: 0o600, isFolder: false))
        var left = size
        while left > 0 {
            guard let piece = try file.read(upToCount: min(left, Self.pieceBytes)), !piece.isEmpty else {
                throw AuditError(.output, "\(path) became shorter.", remedy: "Try again.")
            }
            try sink(Array(piece))
            left -= piece.count
        }
        let rest = size % Self.blockBytes
        if rest > 0 { try sink([UInt8](repeating: 0, count: Self.blockBytes - rest)) }
    }

    /// One header block: name, mode, owners, size, time, checksum, kind, magic, prefix.
    private func header(_ path: String, bytes: Int, mode: Int, isFolder: Bool) throws -> [UInt8] {
        var block = [UInt8](repeating: 0, count: Self.blockBytes)
        let (prefix, name) = try Self.split(path)
        func put(_ field: [UInt8], at start: Int) { block.replaceSubrange(start..<start + field.count, with: field) }
        put(name, at: 0)
        put(Self.octal(mode, 7), at: 100)
        put(Self.octal(0, 7), at: 108)
        put(Self.octal(0, 7), at: 116)
        put(bytes < 1 << 33 ? Self.octal(bytes, 11) : Self.base256(bytes), at: 124)
        put(Self.octal(0, 11), at: 136)
        put([UInt8](repeating: 0x20, count: 8), at: 148)
        block[156] = UInt8(ascii: isFolder ? "5" : "0")
        put(Array("ustar\u{0}00".utf8), at: 257)
        put(prefix, at: 345)
        put(Self.octal(block.reduce(0) { $0 + Int($1) }, 6) + [0, 0x20], at: 148)
        return block
    }

    /// Moves leading folders of a path that is too long for the name field into the prefix field.
    private static func split(_ path: String) throws -> (prefix: [UInt8], name: [UInt8]) {
        let bytes = Array(path.utf8)
        if bytes.count <= nameBytesMax { return ([], bytes) }
        for index in bytes.indices where bytes[index] == UInt8(ascii: "/") && index <= prefixBytesMax {
            let name = Array(bytes[(index + 1)...])
            if !name.isEmpty, name.count <= nameBytesMax { return (Array(bytes[..<index]), name) }
        }
        throw AuditError(.output, "the path \(path) is too long for a tar stream.", remedy: "Give the backup a shorter name.")
    }

    private static func octal(_ value: Int, _ digits: Int) -> [UInt8] {
        let text = String(value, radix: 8)
        return Array((String(repeating: "0", count: max(0, digits - text.count)) + text).utf8)
    }

    /// A size as twelve bytes in base 256. The first byte marks this format.
    private static func base256(_ value: Int) -> [UInt8] {
        var field = [UInt8](repeating: 0, count: 12)
        for index in 0..<8 { field[11 - index] = UInt8(truncatingIfNeeded: value >> (8 * index)) }
        field[0] = 0x80
        return field
    }
}
