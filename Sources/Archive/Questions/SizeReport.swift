public import Audit
internal import EventLog
internal import Foundation
internal import LMDB
internal import LoyaltyCodec
internal import Projections

/// The sizes in a data folder: events by type, and files by folder, with ways to reduce them.
public struct SizeReport: Sendable {
    /// The number and the total size of the events of one type.
    public struct Kind: Hashable, Sendable {
        public let name: String
        public let events: Int
        /// Without the overhead of LMDB's pages.
        public let bytes: Int
    }

    /// The number and the total size of the files of one folder.
    public struct Part: Hashable, Sendable {
        /// `log`, `keys`, `blobs`, `index`, `thumbnails`, `snapshots`, or a model's name.
        public let name: String
        public let files: Int
        /// On the disk; a sparse file takes less than its length.
        public let bytes: Int
        /// Unused bytes in these files, which are reused before a file grows. A copy would be smaller by this amount.
        public let freeBytes: Int
        /// The bytes that the remedy frees at least.
        ///
        /// For a derived file, these are its free pages, and for a model with a replaced generation, that generation; 0 during a rebuild.
        /// The log's free pages count only if the remedy is a copy of the log, those of the keys never.
        public let savedBytes: Int
        public let remedy: String
    }

    public let kinds: [Kind]
    public let parts: [Part]

    /// Reads the length of every record and the size of every file.
    ///
    /// - Throws: ``AuditError/Code/log``.
    public init(of folder: AuditedFolder) throws(AuditError) {
        kinds = try Self.kinds(in: folder.log(.readOnly))
        parts = Self.parts(of: DataFolder(folder.path)).filter { $0.files > 0 }.sorted { $0.bytes > $1.bytes }
    }

    private static func kinds(in log: EventLog) throws(AuditError) -> [Kind] {
        var sums: [EventType: (events: Int, bytes: Int)] = [:]
        do {
            try log.scan { _, record in
                sums[record.type, default: (0, 0)].events += 1
                sums[record.type, default: (0, 0)].bytes += record.bytes.count
                return true
            }
        } catch { throw AuditError(any: error) }
        return sums.map { Kind(name: log.name(of: $0.key) ?? "type \($0.key.rawValue)", events: $0.value.events, bytes: $0.value.bytes) }
            .sorted { ($1.bytes, $0.name) < ($0.bytes, $1.name) }
    }

    /// From this number of free bytes on, a smaller copy is worth a stop of the server.
    private static let freeBytesWorth = 64 << 20
    private static let logRemedy = "events are never removed, and free pages are used again; move the folder to a larger disk"

    /// The remedy copies the keys as well, because the service does not start without them.
    private static func logShrinks(_ data: DataFolder) -> String {
        "a copy has no free pages: stop the server, then greentea-audit backup --data \(data.path) --to COPY --keys KEYS, and "
            + "greentea-audit restore --from COPY --keys KEYS --data NEW; nothing is undone by that, so rm NEW/last-restore"
    }

    private static func derivedRemedy(_ path: String) -> String {
        "derived: stop the server, delete \(path), start again; it is made anew as large as it needs to be"
    }

    /// The bytes of all parts on the disk.
    static func bytes(of data: DataFolder) -> Int { parts(of: data).reduce(0) { $0 + $1.bytes } }

    private static func parts(of data: DataFolder) -> [Part] {
        let models = (try? FileManager.default.contentsOfDirectory(atPath: data.models)) ?? []
        return [
            part("log", data.log, logRemedy, whereFree: logShrinks(data), isKept: true),
            part("keys", data.keys, "one row for each account and shop; erasing makes room that is used again", isKept: true),
            part("blobs", data.blobs, "pictures that nothing shows go within a day by themselves"),
            part("index", data.index, derivedRemedy(data.index)), part("thumbnails", data.thumbnails, derivedRemedy(data.thumbnails)),
            part("snapshots", data.snapshots, "only make old states quick: greentea-replay snapshots --help"),
        ] + models.sorted().map { part($0, data.models + "/" + $0, modelRemedy($0, data), saved: savedByModel($0, data)) }
    }

    /// The bytes that the remedy for a model frees; nil if these are the free pages of all its files.
    private static func savedByModel(_ name: String, _ data: DataFolder) -> Int? {
        let folder = ModelFolder(models: data.models, model: name)
        // A finished rebuild keeps the generation that it replaces.
        if folder.halfBuilt != nil { return 0 }
        return folder.previous.map { sizes(folder.path(of: $0)).bytes }
    }

    /// A plain rebuild is no remedy, because it keeps the replaced generation, which takes more room than it saves.
    private static func modelRemedy(_ name: String, _ data: DataFolder) -> String {
        let command = "greentea-rebuild --data \(data.path) --model \(name)"
        let folder = ModelFolder(models: data.models, model: name)
        if folder.halfBuilt != nil { return "derived: a rebuild is under way or was ended; \(command) finishes it" }
        if folder.previous != nil {
            return "derived: the generation before the last rebuild is kept for --rollback; \(command) --forget-old removes it"
        }
        let isLMDB = folder.current.map { FileManager.default.fileExists(atPath: folder.path(of: $0) + "/" + ModelFolder.lmdbFile) } ?? true
        let unknown = isLMDB ? "" : "; how much smaller, nobody can tell before, because SQLite's pages are partly empty"
        return "derived: \(command) --discard-old makes it anew without free pages, and needs room for both meanwhile\(unknown)"
    }

    /// - Parameter isKept: whether `remedy` leaves the free pages in the files.
    private static func part(
        _ name: String, _ path: String, _ remedy: String, whereFree: String? = nil, isKept: Bool = false, saved: Int? = nil
    ) -> Part {
        let (files, bytes, free) = sizes(path)
        let isWorth = whereFree != nil && free >= freeBytesWorth && free * 4 >= bytes
        return Part(
            name: name, files: files, bytes: bytes, freeBytes: free,
            savedBytes: saved ?? (isKept && !isWorth ? 0 : free), remedy: isWorth ? whereFree ?? remedy : remedy)
    }

    private static func sizes(_ path: String) -> (files: Int, bytes: Int, free: Int) {
        var (files, bytes, free) = (0, 0, 0)
        let keys: Set<URLResourceKey> = [.isRegularFileKey]
        let found = FileManager.default.enumerator(at: URL(fileURLWithPath: path), includingPropertiesForKeys: Array(keys))
        while let url = found?.nextObject() as? URL {
            guard let values = try? url.resourceValues(forKeys: keys), values.isRegularFile == true else { continue }
            files += 1
            bytes += diskBytes(url.path)
            free += freeBytes(url)
        }
        return (files, bytes, free)
    }

    /// Linux counts blocks of 512 bytes (stat(2)). Foundation's `totalFileAllocatedSize` wrongly multiplies them by the file system's block
    /// size.
    private static func diskBytes(_ path: String) -> Int {
        var status = stat()
        return unsafe lstat(path, &status) == 0 ? Int(status.st_blocks) * 512 : 0
    }

    /// 0 for files of other engines than LMDB and SQLite.
    private static func freeBytes(_ file: URL) -> Int {
        if file.lastPathComponent == "data.mdb" { return (try? FreePages(in: file.deletingLastPathComponent().path))?.bytes ?? 0 }
        return file.pathExtension == "sqlite" ? SQLiteHead(of: file.path)?.freeBytes ?? 0 : 0
    }
}

/// The header of an SQLite file (https://www.sqlite.org/fileformat2.html).
private struct SQLiteHead {
    let freeBytes: Int

    private static let byteCount = 100

    init?(of path: String) {
        guard let file = FileHandle(forReadingAtPath: path), let head = try? file.read(upToCount: Self.byteCount),
            head.count == Self.byteCount, head.starts(with: Array("SQLite format 3".utf8))
        else { return nil }
        func number(_ place: Int, _ count: Int) -> Int { head[place..<place + count].reduce(0) { $0 << 8 | Int($1) } }
        let pageBytes = number(16, 2) == 1 ? 65_536 : number(16, 2)
        freeBytes = pageBytes * number(36, 4)
    }
}
