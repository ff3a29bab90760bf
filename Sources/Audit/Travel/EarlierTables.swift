internal import Foundation
internal import LMDB
internal import ReadModels

/// The rows of one model at one moment, in sorted files, so that its state need not be kept twice.
struct EarlierTables {
    private let path: String
    private let tables: [(described: ModelTable, rows: Int, digest: String)]

    /// Writes them.
    ///
    /// - Parameter path: a folder that is made for them alone.
    init(of model: any Projection.Type, _ replay: Replay, in path: String) throws {
        self.path = path
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        tables = try zip(model.tables, replay.tables(of: model.name)).map { described, table in
            var (writer, row) = (try SortedTableWriter(path + "/" + described.name, keyBytes: described.keyBytes), CanonicalRow())
            for index in 0..<table.count {
                table.row(index, into: &row)
                try writer.add(key: row.key.bytes, value: row.value.span)
            }
            return (described, writer.rows, try writer.finish())
        }
    }

    /// One of them, by its place among the model's.
    func table(_ index: Int) throws(SnapshotFault) -> SortedTable {
        let (described, rows, digest) = tables[index]
        return try SortedTable(path + "/" + described.name, digest: digest, rows: rows, keyBytes: described.keyBytes)
    }

    func remove() { try? FileManager.default.removeItem(atPath: path) }
}
