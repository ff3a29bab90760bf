internal import Foundation
internal import LMDB

/// A file that a tool writes at a path that the user named.
///
/// A regular file is written under another name and renamed once it is complete. Until then the previous file stays in place, and an
/// incomplete file never gets the final name. If two processes write to one path at once, the second one is refused. If the path is a
/// symbolic link, the file to which the link leads is replaced, and the link stays. A device or a pipe is written directly, because a
/// rename would replace it.
public final class OutputFile {
    /// The maximum number of symbolic links that are followed. More links are assumed to form a ring. The kernel uses the same limit.
    private static let linksMax = 40

    /// The path that the user gave.
    private let path: String
    /// The path to which ``path`` leads through symbolic links. For a device or a pipe, it is ``path`` itself.
    private let target: String
    /// The path of the file until it is complete; nil for a device or a pipe.
    public let partial: String?
    private let file: FileHandle

    /// Opens a file for output.
    ///
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

    /// Opens the file with the temporary name and locks it, so that no other process writes it. Removes the content that a killed process
    /// left in it. The content is removed after the file is locked, because before that it may belong to a process that is still writing.
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

    deinit { abandon() }

    /// Writes a whole file.
    ///
    /// - Throws: like ``init(_:)``; after an error, the previous file is unchanged, unless only the folder could not be flushed.
    public static func write(_ bytes: [UInt8], to path: String) throws(AuditError) {
        let file = try OutputFile(path)
        try file.write(bytes)
        try file.complete()
    }

    /// Appends bytes.
    public func write(_ bytes: [UInt8]) throws(AuditError) {
        do { try file.write(contentsOf: Data(bytes)) } catch { throw AuditError(writing: path, error) }
    }

    /// Flushes the file and renames it to its final name.
    public func complete() throws(AuditError) {
        guard let partial else { return }
        do {
            try file.synchronize()
            try DurableNames.move(partial, to: target)
        } catch { throw AuditError(writing: path, error) }
    }

    /// Removes the incomplete file, and then closes it, which releases its lock.
    ///
    /// A file that has its final name stays, even if ``complete()`` then failed. Its temporary name may belong to another process by now.
    private func abandon() {
        if let partial { PartialFileLock.remove(file.fileDescriptor, at: partial) }
        try? file.close()
    }

    /// The path to which symbolic links lead from `path`, even if no file exists there.
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

    /// The name of the incomplete file or folder, which is in the same folder as the final one. For both `dir/` and `dir` it is
    /// `dir.partial`.
    public static func of(_ path: String) -> String { plain(path) + suffix }

    /// The path without final slashes.
    static func plain(_ path: String) -> String {
        var path = path
        while path.count > 1, path.hasSuffix("/") { path.removeLast() }
        return path
    }
}
