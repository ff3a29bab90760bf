internal import EventLog
package import LMDB

/// The tables and the position of one open generation. Any thread may read; only one at a time may write.
public final class ModelStore: Sendable {
    public let model: String
    public let directory: String
    package let environment: Environment
    package let damage = ModelDamage()
    private let meta: Table

    /// The key of ``metaTable``'s only row: the position, then the fingerprint of the record there, each a little-endian u64.
    private static let positionKey: [UInt8] = Array("position".utf8)
    /// The table of the position, which is neither content nor part of a digest.
    static let metaTable = "meta"

    init(model: String, environment: Environment) throws(ReadModelError) {
        (self.model, self.environment) = (model, environment)
        directory = environment.directory
        meta = try Self.table(Self.metaTable, in: environment, model)
    }

    /// Opens one of the model's tables, and creates it if the store is open for writing.
    package func table(_ table: ModelTable) throws(ReadModelError) -> Table { try Self.table(table.name, in: environment, model) }

    /// Opens a table. A missing one, or one with other keys, means damage.
    private static func table(_ name: String, in environment: Environment, _ model: String) throws(ReadModelError) -> Table {
        do throws(LMDBError) {
            return try environment.table(name, .bytes)
        } catch {
            guard error.code == .missing || error.code == .misuse else { throw ReadModelError(any: error, model: model) }
            throw ReadModelError(.damaged, model: model, "\(error)")
        }
    }

    /// The stored position with its fingerprint.
    package func mark() throws(ReadModelError) -> ModelMark {
        try reading { (snapshot) throws(ReadModelError) in try mark(in: snapshot) }
    }

    /// The position and fingerprint as of a snapshot.
    package func mark(in snapshot: borrowing Snapshot) throws(ReadModelError) -> ModelMark {
        do {
            guard let row = try snapshot.get(meta, Self.positionKey.span) else { return .start }
            guard row.count == 16 else { throw damaged("its position has \(row.count) bytes") }
            return ModelMark(position: Position(row.littleEndian64(at: 0)), fingerprint: row.littleEndian64(at: 8))
        } catch {
            throw wrapped(error)
        }
    }

    @available(*, noasync)
    func put(_ mark: ModelMark, in transaction: inout WriteTransaction) throws(ReadModelError) {
        var row: [UInt8] = []
        row.append(littleEndian: mark.position.rawValue)
        row.append(littleEndian: mark.fingerprint)
        do { try transaction.put(meta, Self.positionKey.span, row.span) } catch { throw wrapped(error) }
    }

    /// An error that reports the model's folder as damaged.
    package func damaged(_ detail: String) -> ReadModelError {
        damage.noting(ReadModelError(.damaged, model: model, "\(detail) (\(directory))"))
    }

    /// Wraps an error of this store, and notes damage.
    package func wrapped(_ error: any Error) -> ReadModelError { damage.noting(ReadModelError(any: error, model: model)) }

    /// Searches the pages of the last commit for damage, with plain reads. Blocks.
    func requireWholePages() throws(ReadModelError) {
        do throws(LMDBError) { try environment.requireWholePages() } catch { throw wrapped(error) }
    }

    /// The number in a row of eight bytes.
    ///
    /// - Throws: ``ReadModelError/Code/damaged`` for another size.
    package func number(_ row: Span<UInt8>) throws(ReadModelError) -> UInt64 {
        guard row.count == 8 else { throw damaged("a number has \(row.count) bytes") }
        return row.littleEndian64(at: 0)
    }

    /// The number in a row of four bytes.
    ///
    /// - Throws: ``ReadModelError/Code/damaged`` for another size.
    package func shortNumber(_ row: Span<UInt8>) throws(ReadModelError) -> Int {
        guard row.count == 4 else { throw damaged("a short number has \(row.count) bytes") }
        return Int(row.littleEndian32(at: 0))
    }
}

extension ModelStore {
    /// Calls `body` with a snapshot of the last commit.
    package func reading<Result>(_ body: (borrowing Snapshot) throws(ReadModelError) -> Result) throws(ReadModelError) -> Result {
        do {
            let environment = environment
            let snapshot = try environment.snapshot()
            return try body(snapshot)
        } catch {
            throw wrapped(error)
        }
    }

    /// Calls `body` with the value under a key; nil if there is no row.
    package func value<Result>(
        _ table: Table, _ key: RowKey, in snapshot: borrowing Snapshot, _ body: (Span<UInt8>) throws(ReadModelError) -> Result
    ) throws(ReadModelError) -> Result? {
        do {
            guard let row = try snapshot.get(table, key.bytes) else { return nil }
            return try body(row)
        } catch {
            throw wrapped(error)
        }
    }

    /// Calls `body` with the value under a key in a transaction; nil if there is no row.
    @available(*, noasync)
    package func value<Result>(
        _ table: Table, _ key: RowKey, in transaction: borrowing WriteTransaction, _ body: (Span<UInt8>) throws(ReadModelError) -> Result
    ) throws(ReadModelError) -> Result? {
        do {
            guard let row = try transaction.get(table, key.bytes) else { return nil }
            return try body(row)
        } catch {
            throw wrapped(error)
        }
    }

    /// Whether a transaction has a row.
    @available(*, noasync)
    package func has(_ table: Table, _ key: RowKey, in transaction: borrowing WriteTransaction) throws(ReadModelError) -> Bool {
        try value(table, key, in: transaction) { _ in true } ?? false
    }

    /// Whether a snapshot has a row.
    package func has(_ table: Table, _ key: RowKey, in snapshot: borrowing Snapshot) throws(ReadModelError) -> Bool {
        try value(table, key, in: snapshot) { _ in true } ?? false
    }

    /// Stores or replaces a row.
    @available(*, noasync)
    package func put(_ table: Table, _ key: RowKey, _ value: Span<UInt8>, in transaction: inout WriteTransaction) throws(ReadModelError) {
        do { try transaction.put(table, key.bytes, value) } catch { throw wrapped(error) }
    }
}

@available(*, noasync)
extension ModelStore {
    /// Removes a row, if it exists.
    package func delete(_ table: Table, _ key: RowKey, in transaction: inout WriteTransaction) throws(ReadModelError) {
        do { _ = try transaction.delete(table, key.bytes) } catch { throw wrapped(error) }
    }

    /// Calls `body` with the newest row of an id or pair of ids below the position in `bound`; nil if there is none.
    package func newest<Result>(
        _ table: Table, before bound: RowKey, in transaction: borrowing WriteTransaction,
        _ body: (_ position: UInt64, _ value: Span<UInt8>) throws(ReadModelError) -> Result
    ) throws(ReadModelError) -> Result? {
        do {
            var cursor = try transaction.cursor(table)
            let isThere = try cursor.seek(bound.bytes) ? cursor.previous() : cursor.last()
            guard isThere, Self.isSameThing(cursor.key, bound.bytes) else { return nil }
            let position = UInt64(truncatingIfNeeded: cursor.key.extracting(droppingFirst: cursor.key.count - 16).bigEndian128(at: 0))
            return try body(position, cursor.value)
        } catch {
            throw wrapped(error)
        }
    }

    private static func isSameThing(_ left: Span<UInt8>, _ right: Span<UInt8>) -> Bool {
        guard left.count == right.count, left.count > 8 else { return false }
        for index in 0..<(left.count - 8) where left[index] != right[index] { return false }
        return true
    }
}

extension ModelStore {
    /// Opens a store in an unused folder, to run a model's code apart from the generation in use.
    ///
    /// - Parameter directory: an empty folder, or a copy of one that this function opened; created if missing.
    package static func scratch(_ model: String, in directory: String) throws(ReadModelError) -> ModelStore {
        var options = Environment.Options()
        options.durability = .none
        do {
            return try ModelStore(model: model, environment: try Environment(directory: directory, access: .readWrite, options: options))
        } catch {
            throw ReadModelError(any: error, model: model)
        }
    }
}

/// A model's generation in use, open for reading only while another process may write.
package struct StoredModel: Sendable {
    package let store: ModelStore
    package let generation: Generation
    /// In the projection's order. LMDB requires them to be open before a snapshot.
    package let tables: [Table]

    /// Attempts to open a model. A rebuild may switch between the pointer's read and the opening.
    private static let attempts = 3

    /// Opens the model's generation in use.
    package static func open<Model: Projection>(_ model: Model.Type, in models: String) throws(ReadModelError) -> StoredModel {
        let folder = ModelFolder(models: models, model: Model.name)
        var failure = ReadModelError(.missing, model: Model.name, "there is no model in \(folder.path)")
        for _ in 0..<attempts {
            guard let generation = folder.current else { break }
            guard generation.schemaVersion == Model.schemaVersion else {
                throw ReadModelError(
                    .missing, model: Model.name,
                    "\(folder.path) holds \(generation.text), this program reads version \(Model.schemaVersion)")
            }
            do throws(ReadModelError) {
                return try StoredModel(model, generation, in: folder)
            } catch {
                failure = error
                if error.code != .missing { break }
            }
        }
        throw failure
    }

    private init<Model: Projection>(_ model: Model.Type, _ generation: Generation, in folder: ModelFolder) throws(ReadModelError) {
        let environment: Environment
        do throws(LMDBError) { environment = try Environment(directory: folder.path(of: generation), access: .readOnly) } catch {
            throw ReadModelError(any: error, model: Model.name)
        }
        let store = try ModelStore(model: Model.name, environment: environment)
        tables = try Model.tables.map { (table) throws(ReadModelError) in try store.table(table) }
        (self.store, self.generation) = (store, generation)
    }
}
