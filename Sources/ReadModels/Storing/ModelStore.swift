internal import EventLog
package import LMDB

/// The open folder of one generation of one model: its tables, and how far it has come.
///
/// Any thread may read; one at a time may write.
public final class ModelStore: Sendable {
    /// The model's name, for errors.
    public let model: String
    /// The folder, for errors and tools.
    public let directory: String
    package let environment: Environment
    private let meta: Table

    /// Its one row: position, then fingerprint of the record there, each u64 little-endian.
    private static let positionKey: [UInt8] = Array("position".utf8)
    /// The table beside the canonical ones; no part of a digest.
    static let metaTable = "meta"

    init(model: String, environment: Environment) throws(ReadModelError) {
        self.model = model
        self.environment = environment
        directory = environment.directory
        meta = try Self.table(Self.metaTable, in: environment, model)
    }

    /// Opens, and for writing makes, one of the model's tables.
    package func table(_ table: ModelTable) throws(ReadModelError) -> Table {
        try Self.table(table.name, in: environment, model)
    }

    /// A model makes all its tables at its first opening: one that is missing, or of another kind, was changed by something else.
    private static func table(
        _ name: String, in environment: Environment, _ model: String
    ) throws(ReadModelError) -> Table {
        do throws(LMDBError) {
            return try environment.table(name, .bytes)
        } catch {
            guard error.code == .missing || error.code == .misuse else { throw ReadModelError(any: error, model: model) }
            throw ReadModelError(.damaged, model: model, "\(error)")
        }
    }

    /// How far the model has come, as of now.
    ///
    /// - Throws: ``ReadModelError/Code/damaged``, ``ReadModelError/Code/storage``.
    package func mark() throws(ReadModelError) -> ModelMark {
        try reading { (snapshot) throws(ReadModelError) in try mark(in: snapshot) }
    }

    /// How far the model had come as of a snapshot.
    package func mark(in snapshot: borrowing Snapshot) throws(ReadModelError) -> ModelMark {
        do {
            guard let row = try snapshot.get(meta, Self.positionKey.span) else { return .start }
            guard row.count == 16 else { throw damaged("its position has \(row.count) bytes") }
            return ModelMark(position: Position(row.littleEndian64(at: 0)), fingerprint: row.littleEndian64(at: 8))
        } catch {
            throw ReadModelError(any: error, model: model)
        }
    }

    /// Stores how far the model has come, in the transaction that brings it there.
    @available(*, noasync)
    func put(_ mark: ModelMark, in transaction: inout WriteTransaction) throws(ReadModelError) {
        var row: [UInt8] = []
        row.append(littleEndian: mark.position.rawValue)
        row.append(littleEndian: mark.fingerprint)
        do {
            try transaction.put(meta, Self.positionKey.span, row.span)
        } catch {
            throw ReadModelError(any: error, model: model)
        }
    }

    func damaged(_ detail: String) -> ReadModelError {
        ReadModelError(.damaged, model: model, "\(detail) (\(directory))")
    }
}
