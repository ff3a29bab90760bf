internal import Foundation
internal import LMDB

/// A file that a tool writes for whoever has named it.
///
/// A regular one is written beside its place and renamed when it is whole: what was there stays until then, and what is cut short never
/// gets the name. Links are followed, so that they stay links. What is no regular file, such as a device or a pipe, is written to as it
/// is: something in its place would take it away.
public final class OutputFile {
    /// Links to follow before it must be a ring, as the kernel does.
    private static let linksMax = 40

    /// As it was given.
    private let path: String
    /// Where the links lead.
    private let target: String
    /// What it is called until it is whole; nil for what is written straight to.
    public let partial: String?
    private let file: FileHandle

    /// Opens one.
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
    /// - Throws: as ``init(_:)``; then what was there is there still.
    public static func write(_ bytes: [UInt8], to path: String) throws(AuditError) {
        let file = try OutputFile(path)
        try file.write(bytes)
        try file.complete()
    }

    /// Appends bytes.
    public func write(_ bytes: [UInt8]) throws(AuditError) {
        do { try file.write(contentsOf: Data(bytes)) } catch { throw AuditError(writing: path, error) }
    }

    /// Gives it its name, flushed.
    public func complete() throws(AuditError) {
        guard let partial else { return }
        do {
            try file.synchronize()
            try DurableNames.move(partial, to: target)
        } catch { throw AuditError(writing: path, error) }
    }

    /// Takes back what is not complete; what is whole by now has another name.
    private func abandon() {
        try? file.close()
        if let partial { try? FileManager.default.removeItem(atPath: partial) }
    }

    /// Where a chain of links leads, be there something or not.
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

/// What a file or a folder is called while it is not complete.
public enum PartialName {
    private static let suffix = ".partial"

    /// Beside its name to come: `dir/` and `dir` become `dir.partial`.
    public static func of(_ path: String) -> String { plain(path) + suffix }

    /// Without slashes at its end.
    static func plain(_ path: String) -> String {
        var path = path
        while path.count > 1, path.hasSuffix("/") { path.removeLast() }
        return path
    }
}
