internal import Audit
internal import EventLog
internal import Foundation
internal import Merkle
internal import Projections
internal import ReadModels

/// A usable snapshot: complete, of this log, and with the models' current versions; for one thread only.
///
/// A later read may still find damage and throw; the caller then uses the log. Imported events may have earlier times, so the latest time
/// up to a position, which never decreases, is stored for every 4,096 events and searched.
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

    static func fileName(_ model: String, _ table: String) -> String { "\(model).\(table)" }

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

/// Reads a whole snapshot, and compares its content with a replay or with its manifest.
struct SnapshotCheck {
    let snapshot: PastSnapshot
    let replay: Replay

    /// Compares the rows with the replay; nil if there is no fault.
    func fault() -> String? {
        do throws(SnapshotFault) {
            for model in SnapshotName.models {
                let stored = try Self.digest(model, of: snapshot)
                let expected = ModelDigest(of: replay, model: model)
                guard stored == expected.hex else { return "does not hold what the log says of \(model.name)" }
            }
            return nil
        } catch { return error.reason }
    }

    /// Compares every block and row with the manifest, without a replay; nil if there is no fault.
    static func fault(of name: SnapshotName, on shelf: SnapshotShelf) -> String? {
        do throws(SnapshotFault) {
            let snapshot = try shelf.open(name)
            for (model, entry) in zip(SnapshotName.models, snapshot.manifest.models) {
                guard try digest(model, of: snapshot) == entry.digest else { return SnapshotFault.changed(model.name).reason }
            }
            return nil
        } catch { return error.reason }
    }

    private static func digest<Model: Projection>(_ model: Model.Type, of snapshot: PastSnapshot) throws(SnapshotFault) -> String {
        var hasher = ModelHasher(model: Model.name, schemaVersion: Model.schemaVersion)
        for described in Model.tables {
            let table = try snapshot.table(model, described.name)
            hasher.begin(table: described.name)
            var rows = 0
            try table.forEach(from: []) { (key, value) throws(SnapshotFault) in
                hasher.add(key: key, value: value)
                rows += 1
                return true
            }
            guard rows == table.rows else { throw .changed(PastSnapshot.fileName(Model.name, described.name)) }
        }
        return Hexadecimal.text(hasher.finish())
    }
}
