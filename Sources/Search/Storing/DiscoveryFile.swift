internal import EventLog
internal import Foundation
internal import GRDB
internal import ReadModels

/// The model's generation in use: an SQLite database in a folder as every read model has one (`ModelFolder`).
///
/// Nothing is flushed at a commit. When the process dies, the page cache still has every commit; when the machine dies, the folder's
/// state names another boot, and the model is built anew. Readers see the last commit and wait for nobody (write-ahead log).
struct DiscoveryFile: Sendable {
    let pool: DatabasePool
    let generation: Generation
    /// Nil where it goes on from where it stopped.
    let reason: BuildReason?
    private let directory: String

    static func path(in directory: String) -> String { directory + "/discovery.sqlite" }

    /// Opens a generation, or makes it where there is none.
    init(_ generation: Generation, in folder: ModelFolder, _ reason: BuildReason?) throws(ReadModelError) {
        self.generation = generation
        self.reason = reason
        directory = folder.path(of: generation)
        let path = Self.path(in: directory)
        let isNew = !FileManager.default.fileExists(atPath: path)
        do {
            try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
            // Before the content can change: a crash behind this costs a rebuild only if the machine goes down as well.
            try StateFile(in: directory).markOpen()
            pool = try DatabasePool(path: path, configuration: Self.configuration)
            if isNew { try pool.write { try DiscoverySchema.create(in: $0) } }
        } catch {
            throw ReadModelError(discovery: error)
        }
    }

    private static var configuration: Configuration {
        var configuration = Configuration()
        configuration.label = "discovery"
        configuration.maximumReaderCount = SearchLimits.readers
        configuration.prepareDatabase { db in try db.execute(sql: "PRAGMA synchronous = OFF") }
        return configuration
    }

    /// How far the model has come.
    func mark() throws(ReadModelError) -> ModelMark {
        do { return try pool.read { try $0.mark() } } catch { throw ReadModelError(discovery: error) }
    }

    /// Brings everything to the disk and says so, so that the next start trusts it. Nothing may write after it.
    func close() throws(ReadModelError) {
        do {
            try pool.writeWithoutTransaction { _ = try $0.checkpoint(.truncate) }
            try pool.close()
            let file = try FileHandle(forUpdating: URL(fileURLWithPath: Self.path(in: directory)))
            try file.synchronize()
            try file.close()
            try StateFile(in: directory).markClean()
        } catch {
            throw ReadModelError(discovery: error)
        }
    }
}

extension Database {
    func mark() throws -> ModelMark {
        guard let row = try Row.fetchOne(self, sql: "SELECT position, fingerprint FROM mark") else {
            throw ReadModelError(.damaged, model: Discovery.name, "it does not say how far it has come")
        }
        return ModelMark(position: Position(UInt64(bitPattern: row[0])), fingerprint: UInt64(bitPattern: row[1]))
    }

    /// Stores how far the model has come, in the transaction that brings it there.
    func put(_ mark: ModelMark) throws {
        try execute(
            sql: "UPDATE mark SET position = ?, fingerprint = ?",
            arguments: [Int64(bitPattern: mark.position.rawValue), Int64(bitPattern: mark.fingerprint)])
    }
}
