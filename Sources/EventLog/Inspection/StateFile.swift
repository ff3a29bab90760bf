internal import Foundation

/// The file `state` of a derived environment or other derived data, which says whether the content can be trusted.
///
/// A torn, lost or unknown text is not trusted, so the order of the disk's writes does not matter.
package struct StateFile: Sendable {
    private let path: String

    package init(in directory: String) { path = directory + "/state" }

    /// Everything is on disk.
    private static let clean = "clean\n"

    /// The content may be only in the page cache of this boot.
    private static func open() -> String { "open in boot \(bootID())\n" }

    /// Whether the folder was closed cleanly, or the machine has not restarted since it was opened.
    package var isTrusted: Bool {
        let text = text
        return text == Self.clean || (text == Self.open() && !Self.bootID().isEmpty)
    }

    package var isClean: Bool { text == Self.clean }

    private var text: String? { FileManager.default.contents(atPath: path).map { String(decoding: $0, as: UTF8.self) } }

    /// Marks the folder as open, on disk on return. The caller MUST wait before it changes the content.
    package func markOpen() throws(EventLogError) { try write(Self.open()) }

    /// Marks the content as untrusted after a failed flush, because disk and page cache may differ; else removes the file, to the same
    /// effect.
    ///
    /// - Throws: ``EventLogError`` `.io` if both fail, as on a read-only file system. The next opening in this boot then trusts the
    ///   content.
    package func markUntrusted() throws(EventLogError) { try markUntrusted(write) }

    /// For tests in which the write fails.
    func markUntrusted(_ write: (String) throws(EventLogError) -> Void) throws(EventLogError) {
        do throws(EventLogError) { try write("a flush failed\n") } catch {
            do { try FileManager.default.removeItem(atPath: path) } catch { throw EventLogError(.io, "\(path): \(error)") }
        }
    }

    /// Marks the content as complete. It MUST be on disk before this call.
    package func markClean() throws(EventLogError) { try write(Self.clean) }

    private func write(_ text: String) throws(EventLogError) {
        do {
            let files = FileManager.default
            let isThere = files.fileExists(atPath: path) || files.createFile(atPath: path, contents: nil)
            guard isThere, let file = FileHandle(forUpdatingAtPath: path) else { throw EventLogError(.io, "cannot write \(path).") }
            try file.truncate(atOffset: 0)
            try file.write(contentsOf: Data(text.utf8))
            try file.synchronize()
            try file.close()
        } catch { throw (error as? EventLogError) ?? EventLogError(.io, "\(path): \(error)") }
    }

    /// Changes at each boot. Empty if the system has none; open content is then never trusted.
    private static func bootID() -> String {
        guard let data = FileManager.default.contents(atPath: "/proc/sys/kernel/random/boot_id") else { return "" }
        return String(decoding: data, as: UTF8.self).filter { !$0.isWhitespace }
    }
}
