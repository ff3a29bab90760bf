internal import Foundation
internal import LMDB

/// A file that a tool writes at a path that the user named.
///
/// A regular file is written under another name and renamed once it is complete. Until then the previous file stays in place, and an
/// incomplete file never gets the final name. If the path is a symbolic link, the file to which the link leads is replaced, and the link
/// stays. A device or a pipe is written directly, because a rename would replace it.
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
    /// - Throws: ``AuditError/Code/output``.
    public init(_ path: String) throws(AuditError) {
        self.path = path
        let kind = FileKind(at: path)
        if kind == .folder || path.hasSuffix("/") {
            throw AuditError(.output, "cannot write \(path): it is a folder.", remedy: "Name a file.")
        }
        target = kind == .other ? path : Self.followed(path)
        partial = kind == .other ? nil : PartialName.of(target)
        do {
            if let partial { try Data().write(to: URL(fileURLWithPath: partial)) }
            file = try FileHandle(forWritingTo: URL(fileURLWithPath: partial ?? target))
        } catch { throw AuditError(writing: path, error) }
    }

    deinit { abandon() }

    /// Writes a whole file.
    ///
    /// - Throws: like ``init(_:)``; after an error, the previous file is unchanged.
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

    /// Removes the incomplete file. A complete file is not removed, because it has its final name already.
    private func abandon() {
        try? file.close()
        if let partial { try? FileManager.default.removeItem(atPath: partial) }
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
