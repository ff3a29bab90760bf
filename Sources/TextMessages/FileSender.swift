internal import Foundation
internal import Synchronization

/// Appends each message to a file as a line of JSON, for experiments and for gateways that read files. It holds numbers and codes
/// unencrypted: after a day it is renamed to `PATH.old`, whose predecessor is overwritten and removed. Only its owner may read it. A
/// gateway may rename or remove it at any time.
public final class FileSender: TextMessageSender {
    private struct Line: Encodable {
        let at: Int64
        let id: String
        let text: String
        let to: String
    }

    private struct Open {
        var handle: FileHandle
        var inode: UInt64
        var begun: Int64?
    }

    private struct State {
        /// Nil if it could not be opened again, and after `close()`.
        var open: Open?
        var isClosed = false
    }

    private let path: String
    private let seconds: @Sendable () -> Int64
    /// Held while a line is written, so that lines of several tasks do not mix.
    private let state: Mutex<State>
    /// Rotates the file even if no messages come.
    private let sweeper = Mutex<Task<Void, Never>?>(nil)

    /// - Parameter seconds: since 1970, for each line.
    /// - Throws: `TextMessageError.unwritable`.
    public init(path: String, seconds: @escaping @Sendable () -> Int64) throws(TextMessageError) {
        (self.path, self.seconds) = (path, seconds)
        state = Mutex(State(open: try Self.open(path)))
        try rotateIfDue()
        let task = Task.detached { [weak self] in
            while !Task.isCancelled {
                try? await Task.sleep(for: .seconds(Limits.fileLookSeconds))
                guard let self else { return }
                // After a failure, such as a full disk, the next interval tries again.
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
        guard let handle = FileHandle(forUpdatingAtPath: path), let inode = inode(of: path) else {
            throw .unwritable(path: path, reason: "it cannot be opened")
        }
        do {
            try FileManager.default.setAttributes(ownerOnly, ofItemAtPath: path)
            let first = try handle.read(upToCount: Limits.fileLineBytesMax).flatMap { begin(of: $0) }
            try endLastLine(of: handle)
            return Open(handle: handle, inode: inode, begun: first)
        } catch {
            throw .unwritable(path: path, reason: "\(error)")
        }
    }

    /// Ends a last line that a full disk or a killed process cut short. Otherwise the next message would become a part of it.
    private static func endLastLine(of handle: FileHandle) throws {
        let (end, lineFeed) = (try handle.seekToEnd(), Data("\n".utf8))
        guard end > 0 else { return }
        try handle.seek(toOffset: end - 1)
        if try handle.read(upToCount: 1) != lineFeed { try handle.write(contentsOf: lineFeed) }
    }

    private static func inode(of path: String) -> UInt64? {
        ((try? FileManager.default.attributesOfItem(atPath: URL(filePath: path).resolvingSymlinksInPath().path))?[.systemFileNumber]
            as? NSNumber)?.uint64Value
    }

    /// The file at the path, opened again if the gateway has renamed or removed it, or opening failed before.
    private func current(_ state: inout State) throws(TextMessageError) -> Open {
        if let open = state.open {
            if Self.inode(of: path) == open.inode { return open }
            state.open = nil
            try? open.handle.close()
        }
        let open = try Self.open(path)
        state.open = open
        return open
    }

    /// The time of the file's first line.
    private static func begin(of bytes: Data) -> Int64? {
        let line = bytes.prefix { $0 != UInt8(ascii: "\n") }
        return (try? JSONDecoder().decode(Begin.self, from: Data(line)))?.at
    }

    private struct Begin: Decodable {
        let at: Int64
    }

    /// Renames the file once its first line is a day old, and erases the renamed one at two days.
    ///
    /// - Throws: `TextMessageError.unwritable`.
    func rotateIfDue() throws(TextMessageError) {
        let now = seconds()
        try state.withLock { (state) throws(TextMessageError) in
            guard !state.isClosed else { return }
            try eraseOld(at: now)
            let open = try current(&state)
            guard let begun = open.begun, now - begun >= Limits.fileSecondsMax else { return }
            do {
                try erase(path + ".old")
                try FileManager.default.moveItem(atPath: path, toPath: path + ".old")
            } catch { throw .unwritable(path: path, reason: "\(error)") }
            // If opening the new file fails, the next call tries again. Nothing more goes to the renamed file.
            state.open = nil
            try? open.handle.close()
            state.open = try Self.open(path)
        }
    }

    private func eraseOld(at now: Int64) throws(TextMessageError) {
        guard let handle = FileHandle(forReadingAtPath: path + ".old") else { return }
        let first = (try? handle.read(upToCount: Limits.fileLineBytesMax)).flatMap { Self.begin(of: $0) }
        try? handle.close()
        guard let first, now - first >= 2 * Limits.fileSecondsMax else { return }
        do { try erase(path + ".old") } catch { throw .unwritable(path: path + ".old", reason: "\(error)") }
    }

    /// Overwrites first, so that no numbers and codes remain in the blocks.
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
        try state.withLock { state in
            guard !state.isClosed else { throw TextMessageError.unwritable(path: path, reason: "it is closed") }
            let open = try current(&state)
            do { try open.handle.write(contentsOf: line) } catch {
                // A part of the line may be in the file. The next message opens it again, which ends that line.
                state.open = nil
                try? open.handle.close()
                throw TextMessageError.unwritable(path: path, reason: "\(error)")
            }
            state.open?.begun = open.begun ?? now
        }
    }

    public func close() async throws {
        sweeper.withLock { $0 }?.cancel()
        try state.withLock { state in
            state.isClosed = true
            try state.open?.handle.close()
            state.open = nil
        }
    }
}
