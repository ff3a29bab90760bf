internal import Foundation
internal import Glibc
internal import Synchronization

/// A folder for what is built only to be looked at. It goes with this object; after a crash, with the next one of the same path.
final class ScratchFolder: Sendable {
    private let path: String
    private let count = Mutex(0)

    /// - Throws: ``AuditError/Code/output``.
    init(_ path: String) throws(AuditError) {
        self.path = path
        do {
            try? FileManager.default.removeItem(atPath: path)
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        } catch {
            throw AuditError(
                .output, "cannot make a folder for building a model anew in \(path): \(error).",
                remedy: "Check the folder's permissions and free space: it takes twice the room of the model.")
        }
    }

    /// The path of one for this process, below a folder that is cleared of those of processes that are gone.
    static func ofThisProcess(in parent: String) -> String {
        for name in (try? FileManager.default.contentsOfDirectory(atPath: parent)) ?? [] {
            guard name.hasPrefix("tool-"), let process = Int32(name.dropFirst(5)), process > 0 else { continue }
            if kill(process, 0) != 0, errno == ESRCH { try? FileManager.default.removeItem(atPath: parent + "/" + name) }
        }
        return parent + "/tool-\(ProcessInfo.processInfo.processIdentifier)"
    }

    deinit {
        try? FileManager.default.removeItem(atPath: path)
    }

    /// For another folder in it.
    var newPath: String {
        let number = count.withLock { count in
            count += 1
            return count
        }
        return path + "/\(number)"
    }
}
