internal import Audit
internal import EventLog
internal import Foundation
internal import LMDB
internal import LoyaltyCodec
internal import Projections
internal import ReadModels

/// The snapshots of a data folder, in `DATA/derived/snapshots`, with a folder for each.
///
/// ```
/// DATA/derived/snapshots/p000001000000-0123456789abcdef-v2.2.1/manifest   see SnapshotManifest
///                                                              times      see SnapshotTimes
///                                                              card-progress.cards, card-progress.cards.index, …
/// ```
/// The folder may be deleted at any time. This program deletes a snapshot only while it holds the lock `making`, so that no process
/// mistakes a snapshot that is just being created for the remains of an interrupted attempt. A snapshot's folder gets its final name only
/// when everything in it is on disk, so reading needs no lock.
///
/// A snapshot is not an LMDB environment, because LMDB has no checksums, and a damaged page can end the process. Here each block is
/// compared with its digest before it is used, a look-up costs one block of 32 KiB, and a damaged snapshot is skipped. Snapshots are
/// written from a replay in memory, so that creating all of them replays the log once.
struct SnapshotShelf {
    let path: String
    private let log: EventLog

    init(of folder: AuditedFolder, log: EventLog) { (path, self.log) = (DataFolder(folder.path).snapshots, log) }

    var names: [SnapshotName] {
        let files = (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
        return files.compactMap { SnapshotName(text: $0) }.sorted { ($0.mark.position, $0.text) < ($1.mark.position, $1.text) }
    }

    /// The remains of interrupted attempts. The caller MUST hold the lock, because a running attempt has such a folder too.
    var leftovers: [String] {
        let files = (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
        return files.filter { $0.hasSuffix(".partial") }.sorted()
    }

    /// Takes the lock for creating and removing snapshots.
    ///
    /// - Throws: ``AuditError/Code/occupied`` naming the holder, ``AuditError/Code/output``.
    func lock() throws(AuditError) -> FileLock {
        do throws(LMDBError) { try DurableNames.makeFolder(path) } catch {
            throw AuditError(.output, "\(path) cannot be made: \(error.statement)", remedy: error.remedy)
        }
        do throws(LMDBError) { return try FileLock(path + "/making") } catch {
            guard error.code == .locked else {
                throw AuditError(.output, "\(error.path) cannot be locked: \(error.statement)", remedy: error.remedy)
            }
            throw AuditError(
                .occupied, "snapshots are being made or removed: \(error.path) is \(error.text).",
                remedy: "Wait until that one has ended, or end it: the next one makes what is missing.")
        }
    }

    func path(of name: SnapshotName) -> String { path + "/" + name.text }

    /// - Throws: the reason why the snapshot is unusable.
    func open(_ name: SnapshotName) throws(SnapshotFault) -> PastSnapshot { try PastSnapshot(name, at: path(of: name), log: log) }
}

/// The name of a snapshot's folder, such as `p000001000000-0123456789abcdef-v2.2.1`: its position, its log, and the versions of its models.
struct SnapshotName: Hashable, Sendable {
    /// The models that are needed for queries about the past.
    static let models = ReadModels.models.filter { $0.isInSnapshots }

    private static let positionDigits = 12
    private static let fingerprintDigits = 16

    let mark: ModelMark
    let versions: [Int]

    init(_ mark: ModelMark) { (self.mark, versions) = (mark, Self.models.map { $0.schemaVersion }) }

    var text: String {
        let position = Self.padded("\(mark.position)", Self.positionDigits)
        let fingerprint = Self.padded(String(mark.fingerprint, radix: 16), Self.fingerprintDigits)
        return "p\(position)-\(fingerprint)-v\(versions.map(String.init).joined(separator: "."))"
    }

    /// Nil for anything but the exact text of a name.
    init?(text: String) {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count == 3, parts[0].first == "p", parts[2].first == "v" else { return nil }
        guard let position = UInt64(parts[0].dropFirst()), let fingerprint = UInt64(parts[1], radix: 16) else { return nil }
        mark = ModelMark(position: Position(position), fingerprint: fingerprint)
        versions = parts[2].dropFirst().split(separator: ".", omittingEmptySubsequences: false).compactMap { Int($0) }
        guard self.text == text else { return nil }
    }

    private static func padded(_ text: String, _ digits: Int) -> String {
        String(repeating: "0", count: max(0, digits - text.count)) + text
    }
}

/// The reason why a snapshot is unusable. A query never fails because of it, since the log has all data.
struct SnapshotFault: Error, Hashable {
    let reason: String

    init(_ reason: String) { self.reason = reason }

    /// A file or a row differs from what was written.
    static func changed(_ file: String) -> SnapshotFault { SnapshotFault("is damaged: \(file) is not what was written") }

    static func unreadable(_ file: String) -> SnapshotFault { SnapshotFault("is damaged: \(file) cannot be read") }
}

/// The latest event time at regular positions, for finding the position of a time. It never decreases, although imported events may be
/// earlier.
struct SnapshotTimes: Hashable, Sendable {
    static let fileName = "times"
    /// The number of events between two entries of ``latest``.
    static let strideDefault: UInt64 = 4_096

    private let stride: UInt64
    /// In microseconds, among the first ``stride`` events, the first two times ``stride``, and so on.
    private(set) var latest: [Int64] = []
    private var current = Int64.min

    init(stride: UInt64 = Self.strideDefault) { self.stride = stride }

    /// Reads the bytes of the file `times`.
    init(_ bytes: [UInt8]) {
        stride = Self.strideDefault
        let span = bytes.span
        for at in Swift.stride(from: 0, through: span.count - 8, by: 8) {
            latest.append(Int64(bitPattern: span.littleEndian64(at: at)))
        }
        current = latest.last ?? .min
    }

    var bytes: [UInt8] {
        var bytes: [UInt8] = []
        for time in latest { bytes.append(littleEndian: time) }
        return bytes
    }

    /// Adds the following events; `after` MUST be the end of the last call.
    mutating func extend(_ log: EventLog, after: Position, through: Position) throws {
        guard through > after else { return }
        try log.scan(after: after, through: through) { (position, record) in
            current = max(current, record.time.microseconds)
            if position.rawValue % stride == 0 { latest.append(current) }
            return true
        }
    }

    /// No event up to this position is later than `time`.
    func start(for time: Timestamp) -> Position {
        var (low, high) = (0, latest.count)
        while low < high {
            let middle = (low + high) / 2
            if latest[middle] <= time.microseconds { low = middle + 1 } else { high = middle }
        }
        return Position(UInt64(low) * stride)
    }
}
