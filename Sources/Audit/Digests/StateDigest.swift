internal import Crypto
public import EventLog
internal import LMDB
internal import Merkle
public import Projections
internal import ReadModels
internal import Synchronization

/// The digest of all models of a replay, which has read a log up to a position. The same log and models always give the same digest: it
/// depends neither on the machine nor on the sizes of batches.
public struct StateDigest: Hashable, Sendable {
    /// The position of the last event that was read.
    public let position: Position
    /// The number of events read.
    public let events: UInt64
    /// The digests of the models, in the order of their names in ``ReadModels/names``.
    public let models: [ModelDigest]
    /// One SHA-256 over all models: for each, its name (u32 length and bytes), and its digest.
    public let bytes: [UInt8]

    /// The number of models that are digested at the same time. The log is folded by the same number of threads.
    private static let threads = 2
    /// The names of the models whose digests take longest. They are computed first, so that all threads end at about the same time.
    private static let longest = [Statistics.name, CardProgress.name, Journeys.name]

    /// Computes the digest of a replayed state.
    public init(of replay: Replay) {
        position = replay.position
        events = replay.events
        let types = ReadModels.models.filter { replay.models.contains($0.name) }
        let work = types.sorted { Self.place($0.name) < Self.place($1.name) }
        let digests = WorkQueue.outcomes(of: work.count, on: Self.threads, named: "digest") { ModelDigest(of: replay, model: work[$0]) }
        models = types.compactMap { type in digests.first { $0.model == type.name } }
        var content: [UInt8] = []
        for digest in models {
            content.append(littleEndian: UInt32(digest.model.utf8.count))
            content.append(contentsOf: digest.model.utf8)
            content.append(contentsOf: digest.bytes)
        }
        bytes = Array(SHA256.hash(data: content))
    }

    private static func place(_ model: String) -> Int { longest.firstIndex(of: model) ?? longest.count }

    /// The digest as 64 hexadecimal digits.
    public var hex: String { Hexadecimal.text(bytes) }
}

/// The digest of one read model (SHA-256, see `ModelHasher`), with the model's name and its number of rows.
public struct ModelDigest: Hashable, Sendable {
    /// The model's name.
    public let model: String
    /// The number of rows in all tables.
    public let rows: Int
    /// The SHA-256 over the model's name, its schema version and its rows. `ModelHasher` defines the order of the bytes.
    public let bytes: [UInt8]

    /// The digest as 64 hexadecimal digits.
    public var hex: String { Hexadecimal.text(bytes) }

    /// The digest of a model's expected content after a replay.
    package init(of replay: Replay, model: any Projection.Type) {
        self.init(tables: replay.tables(of: model.name), model: model)
    }

    /// The digest of the expected rows of a model's tables.
    init(tables: [CanonicalTable], model: any Projection.Type) {
        var hasher = ModelHasher(model: model.name, schemaVersion: model.schemaVersion)
        var row = CanonicalRow()
        for table in tables {
            hasher.begin(table: table.name)
            for index in 0..<table.count {
                table.row(index, into: &row)
                hasher.add(key: row.key.bytes, value: row.value.span)
            }
        }
        self.init(model.name, &hasher)
    }

    /// Computes the digest of the generation of a model that is in use, from one snapshot of its stored rows.
    ///
    /// - Parameter models: the folder of all models.
    /// - Throws: ``AuditError/Code/missing``, ``AuditError/Code/model``; ``AuditError/Code/damaged`` or ``AuditError/Code/log`` if LMDB
    ///   cannot read a row.
    public init<Model: Projection>(stored model: Model.Type, in models: String) throws(AuditError) {
        do {
            let stored = try StoredModel.open(model, in: models)
            try self.init(of: model, in: stored.store, stored.tables)
        } catch {
            throw AuditError(any: error)
        }
    }

    /// Computes the digest of a generation that is open, from one snapshot of its stored rows.
    ///
    /// - Parameter tables: the model's open tables, in the order of the model's list of tables.
    init<Model: Projection>(of model: Model.Type, in store: ModelStore, _ tables: [Table]) throws {
        let environment = store.environment
        let snapshot = try environment.snapshot()
        var hasher = ModelHasher(model: Model.name, schemaVersion: Model.schemaVersion)
        for (described, table) in zip(Model.tables, tables) {
            hasher.begin(table: described.name)
            var cursor = try snapshot.cursor(table)
            while try cursor.next() { hasher.add(key: cursor.key, value: cursor.value) }
        }
        self.init(Model.name, &hasher)
    }

    private init(_ model: String, _ hasher: inout ModelHasher) {
        self.model = model
        bytes = hasher.finish()
        rows = hasher.rows
    }
}

/// A value that is computed at its first use. Threads that need it at the same time wait until it is computed.
final class Once<Value: Sendable>: Sendable {
    private let value = Mutex<Value?>(nil)

    func callAsFunction(_ make: () -> Value) -> Value {
        value.withLock { value in
            if let value { return value }
            let made = make()
            value = made
            return made
        }
    }
}
