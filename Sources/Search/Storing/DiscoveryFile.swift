internal import EventLog
internal import Foundation
internal import GRDB
internal import ReadModels

/// One generation of the model: an SQLite database in a folder as every read model has one (`ModelFolder`).
///
/// Nothing is flushed at a commit. When the process dies, the page cache still has every commit; when the machine dies, the folder's
/// state names another boot, and the model is built anew. Readers see the last commit and wait for nobody (write-ahead log). SQLite lets
/// several processes write; here one may, the holder of ``GenerationHold``.
struct DiscoveryFile: Sendable {
    let pool: DatabasePool
    let generation: Generation
    /// Nil where it goes on from where it stopped.
    let reason: BuildReason?
    private let directory: String
    private let hold: GenerationHold

    private static let fileName = "discovery.sqlite"

    static func path(in directory: String) -> String { directory + "/" + fileName }

    /// The model's folder among those of all models.
    static func folder(in models: String) -> ModelFolder {
        ModelFolder(models: models, model: Discovery.name, dataFile: fileName)
    }

    /// Opens a generation, or makes it where there is none.
    ///
    /// - Parameter hold: on this generation.
    init(_ generation: Generation, in folder: ModelFolder, _ reason: BuildReason?, _ hold: GenerationHold) throws(ReadModelError) {
        self.generation = generation
        self.reason = reason
        self.hold = hold
        directory = folder.path(of: generation)
        let path = Self.path(in: directory)
        let isNew = !FileManager.default.fileExists(atPath: path)
        do {
            // Before the content can change: a crash behind this costs a rebuild only if the machine goes down as well.
            try folder.seal(of: generation).remove()
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
        configuration.prepareDatabase { db in
            // An erased shop's words must not stay in pages that are in use no more.
            try db.execute(sql: "PRAGMA synchronous = OFF; PRAGMA secure_delete = ON")
        }
        return configuration
    }

    /// How far the model has come.
    func mark() throws(ReadModelError) -> ModelMark {
        do { return try pool.read { try $0.mark() } } catch { throw ReadModelError(discovery: error) }
    }

    /// Everything that it holds, after SQLite's own checks.
    func content() throws(ReadModelError) -> DiscoveryContent {
        do { return try pool.read { try DiscoveryContent(checked: $0) } } catch { throw ReadModelError(discovery: error) }
    }

    /// Brings everything to the disk and says so, so that the next start trusts it. Nothing may read or write after it.
    func close() throws(ReadModelError) {
        defer { hold.letGo() }
        do {
            try pool.writeWithoutTransaction { _ = try $0.checkpoint(.truncate) }
            try pool.close()
            try markClean()
        } catch {
            throw ReadModelError(discovery: error)
        }
    }

    /// The same for a generation that another one has replaced: those who read it go on, and the last of them closes its connections.
    ///
    /// - Throws: where one of them keeps the log of writes from being emptied; what is stored is not trusted after a restart of the
    ///   machine then.
    func retire() throws(ReadModelError) {
        defer { hold.letGo() }
        do {
            try pool.writeWithoutTransaction { _ = try $0.checkpoint(.truncate) }
            try markClean()
        } catch {
            throw ReadModelError(discovery: error)
        }
    }

    private func markClean() throws {
        let file = try FileHandle(forUpdating: URL(fileURLWithPath: Self.path(in: directory)))
        try file.synchronize()
        try file.close()
        try StateFile(in: directory).markClean()
    }
}

extension Database {
    func mark() throws -> ModelMark {
        guard let row = try Row.fetchOne(cachedStatement(sql: "SELECT position, fingerprint FROM mark")) else {
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
