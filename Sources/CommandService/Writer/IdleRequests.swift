import Caches
package import EventLog
import Foundation
package import Loyalty
package import LoyaltyCodec
import Synchronization

/// Idempotency keys of accepted requests that added no event: commands that changed nothing, and uploads of pictures.
///
/// An event for each would let anybody fill the log. ``IdleRequestFile`` keeps the keys across restarts. Any thread may call.
package final class IdleRequests: Sendable {
    private struct Entry {
        let digest: UInt128
        let position: Position
        /// The steady time, which decides how long the request is remembered.
        let at: Instant
        /// The service's time, for which the answer was made.
        let time: Instant
    }

    private struct State {
        var entries: GenerationalCache<UInt128, Entry>
        var file: IdleRequestFile?
    }

    private let state: Mutex<State>
    private let clock: any Clock

    init(clock: any Clock, limit: Int = Limits.idleRequestsMax) {
        self.clock = clock
        state = Mutex(State(entries: GenerationalCache(limit: limit), file: nil))
    }

    package init(clock: any Clock, path: String, of log: EventLog) throws {
        self.clock = clock
        let (file, stored) = try IdleRequestFile.open(path, log: log.created, head: log.head.rawValue)
        var entries = GenerationalCache<UInt128, Entry>(limit: Limits.idleRequestsMax)
        let (now, steady) = (clock.now(), clock.steady())
        for entry in stored {
            // An entry with a future time was made by a fast clock. Its day begins now.
            let age = max(0, now.microseconds - entry.at.microseconds)
            let at = Instant(microseconds: steady.microseconds - age)
            entries[entry.request] = Entry(digest: entry.digest, position: Position(entry.position), at: at, time: entry.at)
        }
        state = Mutex(State(entries: entries, file: file))
    }

    /// Remembers a request before it is answered. After a throw, the request MUST NOT be answered as accepted.
    package func note(_ mark: RequestMark, at position: Position) throws {
        let now = clock.now()
        let entry = Entry(digest: mark.digest, position: position, at: clock.steady(), time: now)
        let stored = IdleRequestFile.Entry(request: mark.request, digest: mark.digest, position: position.rawValue, at: now)
        try state.withLock { state in
            try state.file?.add(stored)
            state.entries[mark.request] = entry
        }
    }

    /// The position and time of the key's use, and whether the content is the same; nil for an unknown key.
    package func find(_ mark: RequestMark) -> (position: Position, time: Instant, isSame: Bool)? {
        guard let entry = state.withLock({ $0.entries[mark.request] }) else { return nil }
        guard clock.steady() < entry.at.advanced(bySeconds: Limits.idleRequestSeconds) else { return nil }
        return (entry.position, entry.time, mark.isSame(as: entry.digest))
    }

    /// Forgets every request, durably. A node MUST call this after a claim of the shared log and before its first decision: it may have
    /// noted requests in an earlier term and never answered them, and others may have decided them since.
    package func forgetAll() throws {
        try state.withLock { state in
            try state.file?.removeAll()
            state.entries.removeAll()
        }
    }

    /// Closes the file. ``note(_:at:)`` MUST NOT follow.
    package func close() {
        state.withLock { state in
            try? state.file?.close()
            state.file = nil
        }
    }
}

/// The file of these keys: a ring of ``slots`` entries of ``entryBytes`` each, not in backups.
///
/// An entry is written without a flush, which would cost as much as a batch. A power cut may lose the last seconds; their requests are
/// decided again.
struct IdleRequestFile {
    struct Entry: Hashable {
        let request: UInt128
        let digest: UInt128
        let position: UInt64
        /// The service's time of acceptance; in the file, later than that of every older entry.
        var at: Instant
    }

    static let slots = Limits.idleRequestsMax
    static let entryBytes = 64

    private let file: FileHandle
    /// The log's creation time. Entries of another log are ignored.
    private let log: UInt64
    private var next = 0
    private var latest = Int64.min

    /// Opens or creates the file; returns its entries, oldest first, without torn ones and those of another log.
    ///
    /// An entry after the log's head is erased: its answer relied on a lost event, and other events may reach its position later.
    static func open(_ path: String, log: Timestamp, head: UInt64 = .max) throws -> (file: IdleRequestFile, entries: [Entry]) {
        if !FileManager.default.fileExists(atPath: path) {
            guard FileManager.default.createFile(atPath: path, contents: nil, attributes: [.posixPermissions: 0o600]) else {
                throw CocoaError(.fileWriteUnknown, userInfo: [NSFilePathErrorKey: path])
            }
        }
        let handle = try FileHandle(forUpdating: URL(fileURLWithPath: path))
        var file = IdleRequestFile(file: handle, log: UInt64(bitPattern: log.microseconds))
        let bytes = [UInt8](try handle.read(upToCount: slots * entryBytes) ?? Data())
        var entries: [(slot: Int, entry: Entry)] = []
        for slot in 0..<(bytes.count / entryBytes) {
            let stored = bytes[(slot * entryBytes)..<((slot + 1) * entryBytes)]
            guard let entry = file.entry(in: stored) else { continue }
            guard entry.position <= head else {
                try file.write([UInt8](repeating: 0, count: entryBytes), slot)
                continue
            }
            entries.append((slot, entry))
        }
        entries.sort { ($0.entry.at, $0.slot) < ($1.entry.at, $1.slot) }
        if let newest = entries.last { (file.next, file.latest) = ((newest.slot + 1) % slots, newest.entry.at.microseconds) }
        return (file, entries.map(\.entry))
    }

    private init(file: FileHandle, log: UInt64) { (self.file, self.log) = (file, log) }

    /// After an error, the entry may be stored or not.
    ///
    /// ``open(_:log:head:)`` finds the next slot by the times, so each is made later than the one before. Otherwise, after a clock was set
    /// back, entries would overwrite the newest ones.
    mutating func add(_ entry: Entry) throws {
        var entry = entry
        entry.at = Instant(microseconds: max(entry.at.microseconds, latest &+ 1))
        try write(bytes(of: entry), next)
        (next, latest) = ((next + 1) % Self.slots, entry.at.microseconds)
    }

    /// Erases all entries, with a flush. A crash before it may leave some of them.
    mutating func removeAll() throws {
        try file.truncate(atOffset: 0)
        try file.synchronize()
        (next, latest) = (0, .min)
    }

    private func write(_ bytes: [UInt8], _ slot: Int) throws {
        try file.seek(toOffset: UInt64(slot * Self.entryBytes))
        try file.write(contentsOf: Data(bytes))
    }

    func close() throws { try file.close() }

    /// Request and digest as u128, position as u64, time as i64 in microseconds, checksum as u64, and eight zero bytes; little-endian.
    private func bytes(of entry: Entry) -> [UInt8] {
        var bytes: [UInt8] = []
        func append(_ value: some FixedWidthInteger) {
            for shift in stride(from: 0, to: value.bitWidth, by: 8) { bytes.append(UInt8(truncatingIfNeeded: value >> shift)) }
        }
        append(entry.request)
        append(entry.digest)
        append(entry.position)
        append(entry.at.microseconds)
        append(checksum(of: bytes[...]))
        append(UInt64(0))
        return bytes
    }

    private func entry(in bytes: ArraySlice<UInt8>) -> Entry? {
        func value<Value: FixedWidthInteger>(_ offset: Int, _ type: Value.Type) -> Value {
            bytes[(bytes.startIndex + offset)...].prefix(Value.bitWidth / 8).reversed().reduce(0) {
                $0 << 8 | Value(truncatingIfNeeded: $1)
            }
        }
        guard value(48, UInt64.self) == checksum(of: bytes.prefix(48)) else { return nil }
        return Entry(
            request: value(0, UInt128.self), digest: value(16, UInt128.self), position: value(32, UInt64.self),
            at: Instant(microseconds: value(40, Int64.self)))
    }

    /// The FNV-1a hash of the log's identity and an entry, against torn entries, not forgeries.
    private func checksum(of bytes: ArraySlice<UInt8>) -> UInt64 {
        bytes.reduce(0xCBF2_9CE4_8422_2325 ^ log) { ($0 ^ UInt64($1)) &* 0x0000_0100_0000_01B3 }
    }
}
