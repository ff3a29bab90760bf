internal import Foundation
internal import Synchronization

/// Appends each message to a file that only its owner may read, one JSON object a line: for trying things out, and for gateways that
/// watch a file.
public final class FileSender: TextMessageSender {
    private struct Line: Encodable {
        let at: Int64
        let id: String
        let text: String
        let to: String
    }

    private let path: String
    private let seconds: @Sendable () -> Int64
    /// Owned; nil once closed. Guarded by the mutex, so that lines do not run into each other.
    private let file: Mutex<FileHandle?>

    /// Opens the file, and makes it where there is none.
    ///
    /// - Parameter seconds: the time since 1970 that lines carry.
    /// - Throws: `TextMessageError.unwritable`.
    public init(path: String, seconds: @escaping @Sendable () -> Int64) throws(TextMessageError) {
        let ownerOnly: [FileAttributeKey: Any] = [.posixPermissions: 0o600]
        if !FileManager.default.fileExists(atPath: path),
            !FileManager.default.createFile(atPath: path, contents: nil, attributes: ownerOnly)
        {
            throw .unwritable(path: path, reason: "it cannot be made")
        }
        guard let handle = FileHandle(forUpdatingAtPath: path) else { throw .unwritable(path: path, reason: "it cannot be opened") }
        do {
            try FileManager.default.setAttributes(ownerOnly, ofItemAtPath: path)
            try handle.seekToEnd()
        } catch {
            throw .unwritable(path: path, reason: "\(error)")
        }
        self.path = path
        self.seconds = seconds
        file = Mutex(handle)
    }

    public func send(_ message: TextMessage) async throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        let line = try encoder.encode(Line(at: seconds(), id: message.id, text: message.text, to: message.phone)) + Data("\n".utf8)
        try file.withLock { file in
            guard let file else { throw TextMessageError.unwritable(path: path, reason: "it is closed") }
            do { try file.write(contentsOf: line) } catch { throw TextMessageError.unwritable(path: path, reason: "\(error)") }
        }
    }

    public func close() async throws {
        try file.withLock { file in
            try file?.close()
            file = nil
        }
    }
}
