internal import Foundation

/// The file `state` in a derived environment's folder, which says whether the content can be trusted.
///
/// It is written in place and flushed. If the text is torn, lost or unknown, the content is not trusted, so the order in which the disk
/// writes does not matter. Derived data outside LMDB also uses such a file.
package struct StateFile: Sendable {
    private let path: String

    package init(in directory: String) { path = directory + "/state" }

    /// The text in a clean folder: everything is on disk.
    private static let clean = "clean\n"

    /// The text while the folder is open: its content may be only in the page cache of this boot of the machine.
    private static func open() -> String { "open in boot \(bootID())\n" }

    /// Whether the content is complete: the folder was closed cleanly, or the machine has not restarted since the folder was opened.
    package var isTrusted: Bool {
        let text = text
        return text == Self.clean || (text == Self.open() && !Self.bootID().isEmpty)
    }

    /// Whether the folder was closed cleanly, and was not opened since.
    package var isClean: Bool { text == Self.clean }

    private var text: String? { FileManager.default.contents(atPath: path).map { String(decoding: $0, as: UTF8.self) } }

    /// Marks the folder as open. The caller MUST wait for this call to return before it changes the content; the mark is then on disk.
    package func markOpen() throws(EventLogError) { try write(Self.open()) }

    /// Marks the content as untrusted after a failed flush, because the disk may differ from the page cache. If the mark cannot be written,
    /// removes the file, because content without a mark is not trusted either.
    ///
    /// - Throws: ``EventLogError/Code-swift.struct/io`` if the file cannot be removed either, for example because the file system became
    ///   read-only. The next opening in this boot of the machine then trusts the content.
    package func markUntrusted() throws(EventLogError) { try markUntrusted(write) }

    /// Marks the content as untrusted with a custom write, for tests in which the write fails.
    func markUntrusted(_ write: (String) throws(EventLogError) -> Void) throws(EventLogError) {
        do throws(EventLogError) { try write("a flush failed\n") } catch {
            do { try FileManager.default.removeItem(atPath: path) } catch { throw EventLogError(.io, "\(path): \(error)") }
        }
    }

    /// Marks the content as complete. All of the content MUST be on disk before this call.
    package func markClean() throws(EventLogError) { try write(Self.clean) }

    private func write(_ text: String) throws(EventLogError) {
        do {
            let files = FileManager.default
            let isThere = files.fileExists(atPath: path) || files.createFile(atPath: path, contents: nil)
            guard isThere, let file = FileHandle(forUpdatingAtPath: path) else {
                throw EventLogError(.io, "cannot write \(path).")
            }
            try file.truncate(atOffset: 0)
            try file.write(contentsOf: Data(text.utf8))
            try file.synchronize()
            try file.close()
        } catch { throw (error as? EventLogError) ?? EventLogError(.io, "\(path): \(error)") }
    }

    /// An identifier that changes at each boot of the machine. It is empty if the system has none; content that was left open is then never
    /// trusted.
    private static func bootID() -> String {
        guard let data = FileManager.default.contents(atPath: "/proc/sys/kernel/random/boot_id") else { return "" }
        return String(decoding: data, as: UTF8.self).filter { !$0.isWhitespace }
    }
}
