internal import EventLog
internal import Foundation
internal import Loyalty
internal import ReadModels

/// A snapshot that may be believed: whole, of this log and of these models.
///
/// It belongs to one thread. What is read of it later may still turn out damaged: then it throws, and the log is asked.
final class PastSnapshot {
    let name: SnapshotName
    let manifest: SnapshotManifest
    let times: SnapshotTimes
    private let path: String
    private var tables: [String: SortedTable] = [:]

    var position: Position { manifest.mark.position }

    init(_ name: SnapshotName, at path: String, log: EventLog) throws(SnapshotFault) {
        (self.name, self.path) = (name, path)
        guard name.versions == SnapshotName(name.mark).versions else { throw SnapshotFault("holds rows of another version") }
        guard name.mark.position <= log.head else { throw SnapshotFault("is ahead of the log") }
        guard let mark = try? ModelMark(name.mark.position, in: log), mark == name.mark else { throw SnapshotFault("is of another log") }
        guard let bytes = FileManager.default.contents(atPath: path + "/" + SnapshotManifest.fileName) else {
            throw .unreadable(SnapshotManifest.fileName)
        }
        guard let manifest = SnapshotManifest(text: String(decoding: bytes, as: UTF8.self)) else {
            throw .changed(SnapshotManifest.fileName)
        }
        guard manifest.mark == mark, manifest.created == log.created.microseconds, Self.isComplete(manifest) else {
            throw SnapshotFault("is of another log, or of other models")
        }
        self.manifest = manifest
        times = try Self.times(path, manifest)
    }

    private static func isComplete(_ manifest: SnapshotManifest) -> Bool {
        manifest.models.map(\.name) == SnapshotName.models.map { $0.name }
            && manifest.models.map(\.version) == SnapshotName.models.map { $0.schemaVersion }
            && manifest.models.map { $0.tables.map(\.name) } == SnapshotName.models.map { $0.tables.map(\.name) }
    }

    private static func times(_ path: String, _ manifest: SnapshotManifest) throws(SnapshotFault) -> SnapshotTimes {
        guard let data = FileManager.default.contents(atPath: path + "/" + SnapshotTimes.fileName) else {
            throw .unreadable(SnapshotTimes.fileName)
        }
        let bytes = [UInt8](data)
        guard SnapshotManifest.digest(bytes) == manifest.times else { throw .changed(SnapshotTimes.fileName) }
        return SnapshotTimes(bytes)
    }

    /// The name of a table's file.
    static func fileName(_ model: String, _ table: String) -> String { "\(model).\(table)" }

    /// One of a model's tables by name.
    func table<Model: Projection>(_ model: Model.Type, _ table: String) throws(SnapshotFault) -> SortedTable {
        let file = Self.fileName(Model.name, table)
        if let open = tables[file] { return open }
        let entry = manifest.models.first { $0.name == Model.name }?.tables.first { $0.name == table }
        guard let entry, let described = Model.tables.first(where: { $0.name == table }) else { throw .unreadable(file) }
        let opened = try SortedTable(path + "/" + file, digest: entry.index, rows: entry.rows, keyBytes: described.keyBytes)
        tables[file] = opened
        return opened
    }
}
