public import Audit
internal import EventLog
internal import Foundation
internal import LoyaltyCodec

/// The sizes in a data folder: events by type, and files by folder, with ways to reduce them.
public struct SizeReport: Sendable {
    /// The events of one kind.
    public struct Kind: Hashable, Sendable {
        /// The type's name.
        public let name: String
        public let events: Int
        /// Bytes of their records, without the pages' overhead.
        public let bytes: Int
    }

    /// The files of one folder.
    public struct Part: Hashable, Sendable {
        /// `log`, `keys`, `blobs`, `index`, `thumbnails`, `snapshots`, or a model's name.
        public let name: String
        public let files: Int
        /// Bytes that they take on the disk: sparse files take less than their length.
        public let bytes: Int
        /// How to make them smaller, or why that is impossible.
        public let remedy: String
    }

    /// Largest first.
    public let kinds: [Kind]
    /// Largest first.
    public let parts: [Part]

    /// Reads every record's length, and every file's.
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

    private static let logRemedy = "events are never removed; move the folder to a larger disk, or raise --log-map-gib"
    private static let derivedRemedy = "derived: stop the server, delete it, start again; it is made anew as large as it needs to be"

    private static func parts(of data: DataFolder) -> [Part] {
        let models = (try? FileManager.default.contentsOfDirectory(atPath: data.models)) ?? []
        return [
            part("log", data.log, logRemedy),
            part("keys", data.keys, "one row for each account and shop; erasing makes room that is used again"),
            part("blobs", data.blobs, "pictures that nothing shows go within a day by themselves"),
            part("index", data.index, derivedRemedy), part("thumbnails", data.thumbnails, derivedRemedy),
            part("snapshots", data.snapshots, "only make old states quick: greentea-replay snapshots --help"),
        ] + models.sorted().map { part($0, data.models + "/" + $0, "\(derivedRemedy); greentea-rebuild --forget-old drops the one before") }
    }

    private static func part(_ name: String, _ path: String, _ remedy: String) -> Part {
        var (files, bytes) = (0, 0)
        let keys: Set<URLResourceKey> = [.isRegularFileKey, .totalFileAllocatedSizeKey, .fileSizeKey]
        let found = FileManager.default.enumerator(at: URL(fileURLWithPath: path), includingPropertiesForKeys: Array(keys))
        while let url = found?.nextObject() as? URL {
            guard let values = try? url.resourceValues(forKeys: keys), values.isRegularFile == true else { continue }
            files += 1
            bytes += values.totalFileAllocatedSize ?? values.fileSize ?? 0
        }
        return Part(name: name, files: files, bytes: bytes, remedy: remedy)
    }
}
