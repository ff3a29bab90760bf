internal import Audit
internal import EventLog
internal import LMDB
internal import Merkle
internal import Projections
internal import ReadModels

/// Writes one snapshot of a replayed state. The next attempt removes what a crash leaves under the temporary name.
struct SnapshotWriter {
    let shelf: SnapshotShelf
    let log: EventLog

    /// Writes the snapshot.
    ///
    /// - Returns: the snapshot's name.
    /// - Throws: ``AuditError/Code/output``, ``AuditError/Code/log``, ``AuditError/Code/damaged``, ``AuditError/Code/occupied``.
    func write(_ replay: Replay, _ times: SnapshotTimes) throws(AuditError) -> SnapshotName {
        do {
            guard let mark = try ModelMark(replay.position, in: log) else { throw missing(replay.position) }
            let name = SnapshotName(mark)
            let copy = try CopiedFolder(shelf.path(of: name))
            do {
                try fill(copy, replay, times, mark)
                try copy.complete()
            } catch {
                copy.abandon()
                throw error
            }
            return name
        } catch let error as AuditError {
            throw error
        } catch let error as EventLogError {
            throw AuditError(any: error)
        } catch {
            let remedy = "Check the disk's room and the folder's permissions."
            throw AuditError(.output, "a snapshot cannot be written: \(FileFault(error)).", remedy: remedy)
        }
    }

    private func fill(_ copy: CopiedFolder, _ replay: Replay, _ times: SnapshotTimes, _ mark: ModelMark) throws {
        var models: [SnapshotManifest.Model] = []
        for model in SnapshotName.models { models.append(try write(model, replay, in: copy.partial)) }
        try copy.write(times.bytes, as: SnapshotTimes.fileName)
        let manifest = SnapshotManifest(
            mark: mark, created: log.created.microseconds, models: models, times: SnapshotManifest.digest(times.bytes))
        try copy.write(Array(manifest.text.utf8), as: SnapshotManifest.fileName)
    }

    private func write(_ model: any Projection.Type, _ replay: Replay, in folder: String) throws -> SnapshotManifest.Model {
        var hasher = ModelHasher(model: model.name, schemaVersion: model.schemaVersion)
        var tables: [SnapshotManifest.Table] = []
        var row = CanonicalRow()
        for (described, table) in zip(model.tables, replay.tables(of: model.name)) {
            let path = folder + "/" + PastSnapshot.fileName(model.name, described.name)
            var writer = try SortedTableWriter(path, keyBytes: described.keyBytes)
            hasher.begin(table: described.name)
            for index in 0..<table.count {
                table.row(index, into: &row)
                hasher.add(key: row.key.bytes, value: row.value.span)
                try writer.add(key: row.key.bytes, value: row.value.span)
            }
            let rows = writer.rows
            tables.append(SnapshotManifest.Table(name: described.name, rows: rows, index: try writer.finish()))
        }
        return SnapshotManifest.Model(
            name: model.name, version: model.schemaVersion, digest: Hexadecimal.text(hasher.finish()), tables: tables)
    }

    private func missing(_ position: Position) -> AuditError {
        AuditError(.log, "the log has no event there.", position: position, remedy: "Verify the log: greentea-audit verify.")
    }
}
