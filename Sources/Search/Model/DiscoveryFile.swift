internal import EventLog
internal import Foundation
internal import GRDB
internal import LoyaltyCodec
internal import Projections
internal import ReadModels

/// One generation of the search model: an SQLite database in its own folder. The folders are like those of any read model (`ModelFolder`).
///
/// Commits are not flushed to disk. If the process dies, the operating system's page cache still has every commit. If the machine dies,
/// the folder's state file names an earlier boot of the machine, and the model is rebuilt. Because of SQLite's write-ahead log, readers see
/// the last commit and never wait. SQLite permits several writing processes, but only the process that has the ``GenerationHold`` may
/// write.
struct DiscoveryFile: Sendable {
    let pool: DatabasePool
    let generation: Generation
    /// The reason why the model is built from the log's first event on; nil if it continues from its stored position.
    let reason: BuildReason?
    /// The damage of the generation that this one replaces; nil if it replaces none because of damage.
    private(set) var replaced: ReadModelError?
    /// The damage that reads of this generation have met.
    let damage = ModelDamage()
    private let directory: String
    private let hold: GenerationHold

    private static let fileName = "discovery.sqlite"

    static func path(in directory: String) -> String { directory + "/" + fileName }

    /// The model's folder among those of all models.
    static func folder(in models: String) -> ModelFolder {
        ModelFolder(models: models, model: Discovery.name, dataFile: fileName)
    }

    /// Opens the generation's file, or creates it if there is none.
    ///
    /// - Parameters:
    ///   - reason: the reason why the model is built from the log's first event on; nil if it continues from its stored position.
    ///   - hold: the hold on this generation, kept as long as this value lives.
    init(_ generation: Generation, in folder: ModelFolder, _ reason: BuildReason?, _ hold: GenerationHold) throws(ReadModelError) {
        self.generation = generation
        self.reason = reason
        self.hold = hold
        directory = folder.path(of: generation)
        let path = Self.path(in: directory)
        let isNew = !FileManager.default.fileExists(atPath: path)
        do {
            // The stored checksum is removed first, because the content may change from now on. The folder is then marked as open: after a
            // crash of the process the model is still trusted, but after a crash of the machine it is rebuilt.
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
            // The words of an erased shop must not remain in unused pages.
            try db.execute(sql: "PRAGMA synchronous = OFF; PRAGMA secure_delete = ON")
        }
        return configuration
    }

    /// The position that the model has reached.
    func mark() throws(ReadModelError) -> ModelMark {
        do { return try pool.read { try $0.mark() } } catch { throw ReadModelError(discovery: error) }
    }

    /// Lets SQLite check the database, then reads its whole content.
    func content() throws(ReadModelError) -> DiscoveryContent {
        do { return try pool.read { try DiscoveryContent(checked: $0) } } catch { throw ReadModelError(discovery: error) }
    }

    /// Flushes the database to disk, closes it, and marks the folder as complete, so that the next start trusts the content. After this
    /// call, the database must not be used.
    ///
    /// - Parameter besideReaders: whether another process, such as `greentea-replay`, may be reading. Its reads can prevent the write-ahead
    ///   log from being emptied. The log is then flushed too, and stays until the next start.
    func close(besideReaders: Bool = false) throws(ReadModelError) {
        defer { hold.letGo() }
        do {
            var isWhole = true
            do {
                try pool.writeWithoutTransaction { _ = try $0.checkpoint(.truncate) }
            } catch let error as DatabaseError where besideReaders && error.resultCode == .SQLITE_BUSY { isWhole = false }
            try pool.close()
            try markClean()
            // Without its write-ahead log, the file is not the whole content.
            if isWhole { try FileSeal(in: directory, file: Self.fileName).write(bytesMax: ProjectionLimits.inspectedBytesMax) }
        } catch {
            throw ReadModelError(discovery: error)
        }
    }

    /// Flushes this generation to disk after another generation has replaced it. Reads that have begun continue here; the connections close
    /// when the last read has ended.
    ///
    /// - Throws: an error if a reader prevents the write-ahead log from being emptied. After a restart of the machine, the content is then
    ///   not trusted.
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
        let database = Self.path(in: directory)
        for path in [database + "-wal", database] where FileManager.default.fileExists(atPath: path) {
            let file = try FileHandle(forUpdating: URL(fileURLWithPath: path))
            do { try file.synchronize() } catch {
                try? StateFile(in: directory).markUntrusted()
                throw error
            }
            try file.close()
        }
        try StateFile(in: directory).markClean()
    }
}

extension Database {
    func mark() throws -> ModelMark {
        guard let row = try Row.fetchOne(cachedStatement(sql: "SELECT position, fingerprint FROM mark")) else {
            throw ReadModelError(.damaged, model: Discovery.name, "it does not say how far it has come")
        }
        return ModelMark(
            position: Position(UInt64(bitPattern: try row.decode(atIndex: 0))), fingerprint: UInt64(bitPattern: try row.decode(atIndex: 1)))
    }

    /// Stores the position up to which the model has processed the log, with the fingerprint of the event there.
    func put(_ mark: ModelMark) throws {
        try execute(
            sql: "UPDATE mark SET position = ?, fingerprint = ?",
            arguments: [Int64(bitPattern: mark.position.rawValue), Int64(bitPattern: mark.fingerprint)])
    }
}

extension DiscoveryFile {
    /// Opens the generation in use. If its content cannot be trusted or continued, puts a new, empty generation into use and opens that
    /// one.
    ///
    /// - Parameter models: the folder of all models.
    /// - Throws: ``ReadModelError/Code/storage``, ``ReadModelError/Code/locked``, ``ReadModelError/Code/log``.
    static func open(in models: String, log: EventLog) throws(ReadModelError) -> DiscoveryFile {
        let folder = folder(in: models)
        try folder.removeStrays()
        guard let current = folder.current else { return try fresh(.missing, in: folder) }
        let directory = folder.path(of: current)
        guard FileManager.default.fileExists(atPath: path(in: directory)) else { return try fresh(.missing, in: folder) }
        guard current.schemaVersion == DiscoverySchema.version else { return try fresh(.schemaChanged, in: folder) }
        guard StateFile(in: directory).isTrusted else { return try fresh(.uncleanStop, in: folder) }
        do throws(ReadModelError) {
            let opened = try whole(current, in: folder)
            if try opened.fits(log) { return opened }
            return try fresh(.otherLog, in: folder)
        } catch {
            guard error.code == .damaged else { throw error }
            var opened = try fresh(.damaged, in: folder)
            opened.replaced = error
            return opened
        }
    }

    /// Opens a generation, and lets SQLite check it if it is to be searched now.
    private static func whole(_ generation: Generation, in folder: ModelFolder) throws(ReadModelError) -> DiscoveryFile {
        // A builder may still hold the generation for a moment.
        let hold = try GenerationHold(generation, in: folder, patienceSeconds: ProjectionLimits.patienceSeconds)
        let wasClosed = StateFile(in: folder.path(of: generation)).isClean
        defer { RiskNote(generation, in: folder).end(.opening) }
        let searches = try folder.requireWhole(generation)
        let opened = try DiscoveryFile(generation, in: folder, nil, hold)
        if searches { try opened.check(wasClosed ? DiscoveryContent.quickChecks : DiscoveryContent.wholeChecks) }
        return opened
    }

    private func check(_ checks: [DiscoveryContent.Check]) throws(ReadModelError) {
        do { try pool.read { try DiscoveryContent.check($0, checks) } } catch { throw ReadModelError(discovery: error) }
    }

    /// The damage of this generation, and the search for it.
    ///
    /// The search uses a connection of its own, because the pool's connections keep pages in memory.
    var health: ModelHealth {
        ModelHealth(damage) { [directory] () throws(ReadModelError) in
            // A new connection would create the file again and see an old content.
            if !FileManager.default.fileExists(atPath: Self.path(in: directory) + "-wal") {
                throw ReadModelError(.damaged, model: Discovery.name, "its write-ahead log was removed (\(directory))")
            }
            try Self.search(in: directory)
        }
    }

    /// Lets SQLite check a generation's pages, while a server may write.
    static func search(in directory: String) throws(ReadModelError) {
        var configuration = Configuration()
        configuration.readonly = true
        do {
            let queue = try DatabaseQueue(path: path(in: directory), configuration: configuration)
            defer { try? queue.close() }
            try queue.read { try DiscoveryContent.check($0, DiscoveryContent.quickChecks) }
        } catch {
            throw ReadModelError(discovery: error)
        }
    }

    /// Wraps an error of a read, and notes it if it proves that the file is damaged. An error of the query itself does not.
    func noting(_ error: any Error) -> ReadModelError {
        let wrapped = ReadModelError(discovery: error)
        if let error = error as? DatabaseError, [.SQLITE_ERROR, .SQLITE_MISMATCH].contains(error.resultCode) { return wrapped }
        return damage.noting(wrapped)
    }

    /// Opens a generation that is not in use, to continue it, and creates it if it is missing. It is emptied if its content cannot be
    /// trusted.
    ///
    /// - Throws: ``ReadModelError/Code/locked`` if another process holds it for long, ``ReadModelError/Code/storage``.
    static func goOn(with generation: Generation, in folder: ModelFolder) throws(ReadModelError) -> DiscoveryFile {
        let hold = try GenerationHold(generation, in: folder, patienceSeconds: ProjectionLimits.patienceSeconds)
        let directory = folder.path(of: generation)
        let isThere = FileManager.default.fileExists(atPath: path(in: directory))
        if isThere, StateFile(in: directory).isTrusted { return try DiscoveryFile(generation, in: folder, nil, hold) }
        do {
            for suffix in ["", "-wal", "-shm"] where FileManager.default.fileExists(atPath: path(in: directory) + suffix) {
                try FileManager.default.removeItem(atPath: path(in: directory) + suffix)
            }
        } catch {
            throw ReadModelError(discovery: error)
        }
        return try DiscoveryFile(generation, in: folder, isThere ? .uncleanStop : .requested, hold)
    }

    /// The maximum number of attempts to create a generation. An attempt fails if a builder creates a generation with the same number at
    /// the same time.
    private static let freshAttempts = 3

    /// Puts an empty generation into use, after something outside this process removed the files of the generation in use.
    ///
    /// - Throws: ``ReadModelError/Code/storage``.
    static func remake(after lost: Generation, in folder: ModelFolder) throws(ReadModelError) -> DiscoveryFile {
        try fresh(.missing, in: folder, after: lost)
    }

    /// Puts an empty generation into use. If the process dies before the file `current` names the new generation, only an unused folder
    /// remains.
    private static func fresh(
        _ reason: BuildReason, in folder: ModelFolder, after lost: Generation? = nil
    ) throws(ReadModelError) -> DiscoveryFile {
        let opened = try numbered(reason, in: folder, after: lost)
        try folder.use(opened.generation)
        // The previous generation is removed too. So a rollback can return neither to the generation that cannot be continued nor to an
        // older one.
        try folder.forgetPrevious()
        try folder.removeStrays()
        return opened
    }

    private static func numbered(
        _ reason: BuildReason, in folder: ModelFolder, after lost: Generation?
    ) throws(ReadModelError) -> DiscoveryFile {
        for _ in 1..<freshAttempts {
            do throws(ReadModelError) { return try empty(reason, in: folder, after: lost) } catch {
                guard error.code == .locked else { throw error }
            }
        }
        return try empty(reason, in: folder, after: lost)
    }

    private static func empty(
        _ reason: BuildReason, in folder: ModelFolder, after lost: Generation?
    ) throws(ReadModelError) -> DiscoveryFile {
        let next = folder.next(schemaVersion: DiscoverySchema.version, after: lost)
        return try DiscoveryFile(next, in: folder, reason, try GenerationHold(next, in: folder))
    }

    /// Whether the log's event at the model's position has the fingerprint that the model stored. If not, the model was built from another
    /// log, or from events that the log has lost.
    func fits(_ log: EventLog) throws(ReadModelError) -> Bool {
        let mark = try mark()
        do throws(EventLogError) {
            return try ModelMark(mark.position, in: log) == mark
        } catch {
            throw ReadModelError(discovery: error)
        }
    }
}

extension ReadModelError {
    /// Wraps an error of a lower layer with this model's name. A ``ReadModelError`` is kept as it is.
    init(discovery error: any Error) {
        switch error {
        case let error as ReadModelError: self = error
        case let error as EventLogError: self.init(.log, model: Discovery.name, isOutOfSpace: error.isOutOfSpace, "\(error)")
        case let error as DatabaseError:
            let isDamaged =
                [.SQLITE_CORRUPT, .SQLITE_NOTADB, .SQLITE_ERROR, .SQLITE_MISMATCH].contains(error.resultCode)
                || [.SQLITE_IOERR_SHORT_READ, .SQLITE_IOERR_READ, .SQLITE_IOERR_DATA].contains(error.extendedResultCode)
            let isFull = error.resultCode == .SQLITE_FULL
            self.init(
                isDamaged ? .damaged : .storage, model: Discovery.name, isOutOfSpace: isFull,
                causeRemedy: isFull ? FileFault.full.remedy : nil, "\(error)")
        case let error as RowDecodingError: self.init(.damaged, model: Discovery.name, "\(error)")
        default: self.init(any: error, model: Discovery.name)
        }
    }
}
