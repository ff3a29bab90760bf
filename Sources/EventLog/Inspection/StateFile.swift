internal import Foundation

/// The file `state` in a derived environment's folder: whether the content can be trusted after what happened since.
///
/// It is written in place and flushed. A torn, lost or strange text means distrust, so no order of writes can go wrong. Derived data
/// that lives elsewhere than in LMDB uses it too.
package struct StateFile: Sendable {
    private let path: String

    package init(in directory: String) { path = directory + "/state" }

    /// The content of the file of a clean folder: everything is on disk.
    private static let clean = "clean\n"

    /// The content of the file while the folder is open: its rows are only in the page cache of this boot of the machine.
    private static func open() -> String { "open in boot \(bootID())\n" }

    /// Whether the content is complete: it was closed in order, or its page cache has been alive ever since.
    package var isTrusted: Bool {
        guard let data = FileManager.default.contents(atPath: path) else { return false }
        let text = String(decoding: data, as: UTF8.self)
        return text == Self.clean || (text == Self.open() && !Self.bootID().isEmpty)
    }

    /// Must be on disk before the first change of the content.
    package func markOpen() throws(EventLogError) { try write(Self.open()) }

    /// After a flush that failed: what the page cache shows may not be on disk.
    package func markUntrusted() throws(EventLogError) { try write("a flush failed\n") }

    /// Marks the content as complete. It MUST come after everything else is on disk.
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

    /// Differs after each start of the machine; empty without one, which is never trusted.
    private static func bootID() -> String {
        guard let data = FileManager.default.contents(atPath: "/proc/sys/kernel/random/boot_id") else { return "" }
        return String(decoding: data, as: UTF8.self).filter { !$0.isWhitespace }
    }
}
