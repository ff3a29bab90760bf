internal import Crypto
public import EventLog
internal import LMDB
internal import Merkle
package import Projections
internal import ReadModels
internal import Synchronization

/// The digest of all models of a replay, independent of the machine and of batches.
public struct StateDigest: Hashable, Sendable {
    public let position: Position
    public let events: UInt64
    /// In the order of ``ReadModels/names``.
    public let models: [ModelDigest]
    /// SHA-256 over each model's name (u32 length and bytes) and digest.
    public let bytes: [UInt8]

    /// Models that are digested at the same time.
    private static let threads = 2
    /// The longest digests come first, so that all threads end at about the same time.
    private static let longest = [Statistics.name, CardProgress.name, Journeys.name]

    public init(of replay: Replay) {
        (position, events) = (replay.position, replay.events)
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

    public var hex: String { Hexadecimal.text(bytes) }
}

/// The digest of one read model, with its number of rows.
public struct ModelDigest: Hashable, Sendable {
    public let model: String
    public let rows: Int
    /// SHA-256 in the byte order that `ModelHasher` defines.
    public let bytes: [UInt8]

    public var hex: String { Hexadecimal.text(bytes) }

    /// The digest of a model's expected content after a replay.
    package init(of replay: Replay, model: any Projection.Type) { self.init(tables: replay.tables(of: model.name), model: model) }

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

    /// The digest of a stored model, from one snapshot.
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

/// A value that is computed at its first use. Other threads wait for it.
final class Once<Value: Sendable>: Sendable {
    private let value = Mutex<Value?>(nil)

    func callAsFunction(_ make: () -> Value) -> Value {
        value.withLock { value in
            let made = value ?? make()
            value = made
            return made
        }
    }
}
