internal import EventLog
internal import ReadModels

/// Reads a whole snapshot, and compares what it holds with its manifest and with a replay.
struct SnapshotCheck {
    let snapshot: PastSnapshot
    /// Of the same position.
    let replay: Replay

    /// What is wrong; nil for nothing.
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

    /// What is wrong with one as far as it can be told without a replay: every block is read.
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
        return ModelDigest.hex(hasher.finish())
    }
}
