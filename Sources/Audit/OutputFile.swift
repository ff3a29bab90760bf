internal import Foundation
internal import LMDB

/// A file that a tool writes at a path that the user named.
///
/// A regular file is renamed once it is complete, so the previous file stays in place until then. A concurrent writer of the path is
/// refused. The target of a symbolic link is replaced, and the link stays. A device or a pipe is written directly.
public final class OutputFile {
    /// More symbolic links are assumed to form a ring. The kernel has the same limit.
    private static let linksMax = 40

    private let path: String
    /// The target of ``path``'s symbolic links.
    private let target: String
    /// The path until the file is complete; nil for a device or a pipe.
    public let partial: String?
    private let file: FileHandle

    /// - Throws: ``AuditError/Code/output``; ``AuditError/Code/occupied`` while another process writes to the same path.
    public init(_ path: String) throws(AuditError) {
        self.path = path
        let kind = FileKind(at: path)
        if kind == .folder || path.hasSuffix("/") {
            throw AuditError(.output, "cannot write \(path): it is a folder.", remedy: "Name a file.")
        }
        target = kind == .other ? path : Self.followed(path)
        partial = kind == .other ? nil : PartialName.of(target)
        do {
            file = if let partial { try Self.claimed(partial) } else { try FileHandle(forWritingTo: URL(fileURLWithPath: target)) }
        } catch {
            if (error as? LMDBError)?.code == .locked {
                throw AuditError(.occupied, "another process is writing \(path).", remedy: "Wait for its end, then try again.")
            }
            throw AuditError(writing: path, error)
        }
    }

    /// Locks the temporary file, and only then removes a killed process's content, because another process may still be writing before.
    private static func claimed(_ partial: String) throws -> FileHandle {
        let url = URL(fileURLWithPath: partial)
        do { try Data().write(to: url, options: .withoutOverwriting) } catch {
            guard FileManager.default.fileExists(atPath: partial) else { throw error }
        }
        let file = try FileHandle(forWritingTo: url)
        try PartialFileLock.take(file.fileDescriptor, at: partial)
        try file.truncate(atOffset: 0)
        return file
    }

    /// Removes the incomplete file, and then releases its lock. A file with its final name stays, because the temporary name may belong to
    /// another process by now.
    deinit {
        if let partial { PartialFileLock.remove(file.fileDescriptor, at: partial) }
        try? file.close()
    }

    /// Writes a whole file. After an error, the previous file is unchanged, unless only the folder could not be flushed.
    ///
    /// - Throws: like ``init(_:)``.
    public static func write(_ bytes: [UInt8], to path: String) throws(AuditError) {
        let file = try OutputFile(path)
        try file.write(bytes)
        try file.complete()
    }

    public func write(_ bytes: [UInt8]) throws(AuditError) {
        do { try file.write(contentsOf: Data(bytes)) } catch { throw AuditError(writing: path, error) }
    }

    /// Flushes the file, and gives it its final name.
    public func complete() throws(AuditError) {
        guard let partial else { return }
        do {
            try file.synchronize()
            try DurableNames.move(partial, to: target)
        } catch { throw AuditError(writing: path, error) }
    }

    /// Follows symbolic links, even to a missing file.
    private static func followed(_ path: String) -> String {
        var path = path
        for _ in 0..<linksMax {
            guard let next = try? FileManager.default.destinationOfSymbolicLink(atPath: path) else { break }
            let above = (path as NSString).deletingLastPathComponent
            path = next.hasPrefix("/") ? next : above.isEmpty ? next : above + "/" + next
        }
        return path
    }
}

/// The name of an incomplete file or folder.
public enum PartialName {
    private static let suffix = ".partial"

    /// For both `dir/` and `dir`, it is `dir.partial`.
    public static func of(_ path: String) -> String { plain(path) + suffix }

    static func plain(_ path: String) -> String {
        var path = path
        while path.count > 1, path.hasSuffix("/") { path.removeLast() }
        return path
    }
}
