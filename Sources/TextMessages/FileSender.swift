internal import Foundation
internal import Synchronization

/// Appends each message to a file that only its owner may read, one JSON object a line: for trying things out, and for gateways that
/// watch a file.
///
/// Phones and codes stand in it in the clear, so they do not stay: after a day the file becomes `PATH.old`, and what was there before is
/// overwritten and removed. A reader that has the file open finds a new one under its name then.
public final class FileSender: TextMessageSender {
    private struct Line: Encodable {
        let at: Int64
        let id: String
        let text: String
        let to: String
    }

    /// The open file, and the time of its first line.
    private struct Open {
        var handle: FileHandle
        var begun: Int64?
    }

    private let path: String
    private let seconds: @Sendable () -> Int64
    /// Owned; nil once closed. Guarded by the mutex, so that lines do not run into each other.
    private let file: Mutex<Open?>
    /// Rotates also where no message comes.
    private let sweeper = Mutex<Task<Void, Never>?>(nil)

    /// Opens the file, and makes it where there is none.
    ///
    /// - Parameter seconds: the time since 1970 that lines carry.
    /// - Throws: `TextMessageError.unwritable`.
    public init(path: String, seconds: @escaping @Sendable () -> Int64) throws(TextMessageError) {
        self.path = path
        self.seconds = seconds
        file = Mutex(try Self.open(path))
        try rotateIfDue()
        let task = Task.detached { [weak self] in
            while !Task.isCancelled {
                try? await Task.sleep(for: .seconds(Limits.fileLookSeconds))
                guard let self else { return }
                // A disk that is full now is tried again.
                try? self.rotateIfDue()
            }
        }
        sweeper.withLock { $0 = task }
    }

    deinit { sweeper.withLock { $0 }?.cancel() }

    private static func open(_ path: String) throws(TextMessageError) -> Open {
        let ownerOnly: [FileAttributeKey: Any] = [.posixPermissions: 0o600]
        if !FileManager.default.fileExists(atPath: path),
            !FileManager.default.createFile(atPath: path, contents: nil, attributes: ownerOnly)
        {
            throw .unwritable(path: path, reason: "it cannot be made")
        }
        guard let handle = FileHandle(forUpdatingAtPath: path) else { throw .unwritable(path: path, reason: "it cannot be opened") }
        do {
            try FileManager.default.setAttributes(ownerOnly, ofItemAtPath: path)
            let first = try handle.read(upToCount: Limits.fileLineBytesMax).flatMap { begin(of: $0) }
            try handle.seekToEnd()
            return Open(handle: handle, begun: first)
        } catch {
            throw .unwritable(path: path, reason: "\(error)")
        }
    }

    /// The time of a file's first line, by its beginning.
    private static func begin(of bytes: Data) -> Int64? {
        let line = bytes.prefix { $0 != UInt8(ascii: "\n") }
        return (try? JSONDecoder().decode(Begin.self, from: Data(line)))?.at
    }

    private struct Begin: Decodable {
        let at: Int64
    }

    /// Puts the file aside if it is a day old, after it has overwritten and removed the one that was aside.
    ///
    /// - Throws: `TextMessageError.unwritable`.
    func rotateIfDue() throws(TextMessageError) {
        let now = seconds()
        try file.withLock { (file) throws(TextMessageError) in
            try eraseOld(at: now)
            guard let open = file, let begun = open.begun, now - begun >= Limits.fileSecondsMax else { return }
            do {
                try erase(path + ".old")
                try FileManager.default.moveItem(atPath: path, toPath: path + ".old")
                try open.handle.close()
            } catch { throw .unwritable(path: path, reason: "\(error)") }
            file = try Self.open(path)
        }
    }

    /// Erases what was put aside a day ago.
    private func eraseOld(at now: Int64) throws(TextMessageError) {
        guard let handle = FileHandle(forReadingAtPath: path + ".old") else { return }
        let first = (try? handle.read(upToCount: Limits.fileLineBytesMax)).flatMap { Self.begin(of: $0) }
        try? handle.close()
        guard let first, now - first >= 2 * Limits.fileSecondsMax else { return }
        do { try erase(path + ".old") } catch { throw .unwritable(path: path + ".old", reason: "\(error)") }
    }

    /// Overwrites a file before it is removed, so that its blocks do not keep phones and codes.
    private func erase(_ path: String) throws {
        guard let handle = FileHandle(forUpdatingAtPath: path) else { return }
        let size = try handle.seekToEnd()
        try handle.seek(toOffset: 0)
        var left = Int(clamping: size)
        while left > 0 {
            let count = min(left, Limits.fileLineBytesMax)
            try handle.write(contentsOf: Data(count: count))
            left -= count
        }
        try handle.synchronize()
        try handle.close()
        try FileManager.default.removeItem(atPath: path)
    }

    public func send(_ message: TextMessage) async throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        let line = try encoder.encode(Line(at: seconds(), id: message.id, text: message.text, to: message.phone)) + Data("\n".utf8)
        try rotateIfDue()
        let now = seconds()
        try file.withLock { file in
            guard let open = file else { throw TextMessageError.unwritable(path: path, reason: "it is closed") }
            do { try open.handle.write(contentsOf: line) } catch { throw TextMessageError.unwritable(path: path, reason: "\(error)") }
            file?.begun = open.begun ?? now
        }
    }

    public func close() async throws {
        sweeper.withLock { $0 }?.cancel()
        try file.withLock { file in
            try file?.handle.close()
            file = nil
        }
    }
}
