internal import Foundation
internal import Synchronization

/// Appends each message to a file that only the file's owner may read, one JSON object per line. It is for experiments, and for gateways
/// that read messages from a file.
///
/// The file contains phone numbers and codes unencrypted, so it is not kept for long. After a day it is renamed to `PATH.old`, and the
/// previous `PATH.old` is overwritten and removed. A program that has the file open must then open the new file at the original path. A
/// gateway may rename or remove the file at any time; the next message then begins a new file.
public final class FileSender: TextMessageSender {
    private struct Line: Encodable {
        let at: Int64
        let id: String
        let text: String
        let to: String
    }

    /// An open file, its inode number, and the time of its first line.
    private struct Open {
        var handle: FileHandle
        var inode: UInt64
        var begun: Int64?
    }

    private struct State {
        /// The open file; nil if it could not be opened again, and after `close()`.
        var open: Open?
        var isClosed = false
    }

    private let path: String
    private let seconds: @Sendable () -> Int64
    /// The state of the file. The mutex is held while a line is written, so that the lines of several tasks do not mix.
    private let state: Mutex<State>
    /// The task that rotates the file even if no messages come.
    private let sweeper = Mutex<Task<Void, Never>?>(nil)

    /// Opens the file, and creates it if it is missing.
    ///
    /// - Parameter seconds: the current time in seconds since 1970, which each line contains.
    /// - Throws: `TextMessageError.unwritable`.
    public init(path: String, seconds: @escaping @Sendable () -> Int64) throws(TextMessageError) {
        self.path = path
        self.seconds = seconds
        state = Mutex(State(open: try Self.open(path)))
        try rotateIfDue()
        let task = Task.detached { [weak self] in
            while !Task.isCancelled {
                try? await Task.sleep(for: .seconds(Limits.fileLookSeconds))
                guard let self else { return }
                // If this fails, for example because the disk is full, it is tried again after the next interval.
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

    /// Moves to the end of a file, and ends its last line if a full disk or a killed process has cut that line short. Otherwise the next
    /// message would become a part of that line, and a gateway could not read it.
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

    /// Returns the open file if it is still the file at the path. Otherwise opens or creates the file at the path, because the gateway may
    /// have renamed or removed the open file, or the file could not be opened before.
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

    /// The time of a file's first line, parsed from the file's first bytes.
    private static func begin(of bytes: Data) -> Int64? {
        let line = bytes.prefix { $0 != UInt8(ascii: "\n") }
        return (try? JSONDecoder().decode(Begin.self, from: Data(line)))?.at
    }

    private struct Begin: Decodable {
        let at: Int64
    }

    /// Renames the file if its first line is a day old, after overwriting and removing the previously renamed one. Also erases the renamed
    /// file if its first line is two days old.
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
            // If the new file cannot be opened, the next call tries again. Nothing more is written to the renamed file.
            state.open = nil
            try? open.handle.close()
            state.open = try Self.open(path)
        }
    }

    /// Erases the renamed file when its first line is two days old.
    private func eraseOld(at now: Int64) throws(TextMessageError) {
        guard let handle = FileHandle(forReadingAtPath: path + ".old") else { return }
        let first = (try? handle.read(upToCount: Limits.fileLineBytesMax)).flatMap { Self.begin(of: $0) }
        try? handle.close()
        guard let first, now - first >= 2 * Limits.fileSecondsMax else { return }
        do { try erase(path + ".old") } catch { throw .unwritable(path: path + ".old", reason: "\(error)") }
    }

    /// Overwrites a file before removing it, so that no phone numbers and codes remain in its blocks.
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
                // A part of the line may be in the file. The next message opens the file again, which ends that line.
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
