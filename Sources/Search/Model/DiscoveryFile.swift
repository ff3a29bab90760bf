internal import EventLog
internal import Foundation
internal import GRDB
internal import LoyaltyCodec
internal import Projections
internal import ReadModels

/// One generation of the search model: an SQLite database in its own folder, see `ModelFolder`.
///
/// Commits are not flushed: after a crash of the machine, the model is rebuilt. SQLite permits several writing processes, but only the
/// holder of the ``GenerationHold`` may write.
struct DiscoveryFile: Sendable {
    let pool: DatabasePool
    let generation: Generation
    let reason: BuildReason?
    private(set) var replaced: ReadModelError?
    let damage = ModelDamage()
    private let directory: String
    private let hold: GenerationHold

    private static let fileName = "discovery.sqlite"

    static func path(in directory: String) -> String { directory + "/" + fileName }

    static func folder(in models: String) -> ModelFolder {
        ModelFolder(models: models, model: Discovery.name, dataFile: fileName)
    }

    init(_ generation: Generation, in folder: ModelFolder, _ reason: BuildReason?, _ hold: GenerationHold) throws(ReadModelError) {
        self.generation = generation
        self.reason = reason
        self.hold = hold
        directory = folder.path(of: generation)
        let path = Self.path(in: directory)
        let isNew = !FileManager.default.fileExists(atPath: path)
        do {
            // Removed before the content may change. The mark as open makes a crash of the machine, not of the process, a rebuild.
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

    func mark() throws(ReadModelError) -> ModelMark {
        do { return try pool.read { try $0.mark() } } catch { throw ReadModelError(discovery: error) }
    }

    func content() throws(ReadModelError) -> DiscoveryContent {
        do { return try pool.read { try DiscoveryContent(checked: $0) } } catch { throw ReadModelError(discovery: error) }
    }

    /// Flushes and closes the database, and marks the folder as complete. The database must not be used afterwards.
    ///
    /// - Parameter besideReaders: whether another process may be reading, which can keep the write-ahead log from being emptied. It then
    ///   stays.
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

    /// Flushes a replaced generation. Begun reads continue, and the last one closes the connections. Throws if a reader keeps the
    /// write-ahead log from being emptied.
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

    func put(_ mark: ModelMark) throws {
        try execute(
            sql: "UPDATE mark SET position = ?, fingerprint = ?",
            arguments: [Int64(bitPattern: mark.position.rawValue), Int64(bitPattern: mark.fingerprint)])
    }
}

extension DiscoveryFile {
    /// Opens the generation in use, or puts an empty one into use if its content cannot be continued.
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

    /// Searches on a connection of its own, because the pool's keep pages in memory.
    var health: ModelHealth {
        ModelHealth(damage) { [directory] () throws(ReadModelError) in
            // A new connection would create the file again and see an old content.
            if !FileManager.default.fileExists(atPath: Self.path(in: directory) + "-wal") {
                throw ReadModelError(.damaged, model: Discovery.name, "its write-ahead log was removed (\(directory))")
            }
            try Self.search(in: directory)
        }
    }

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

    func noting(_ error: any Error) -> ReadModelError {
        let wrapped = ReadModelError(discovery: error)
        if let error = error as? DatabaseError, [.SQLITE_ERROR, .SQLITE_MISMATCH].contains(error.resultCode) { return wrapped }
        return damage.noting(wrapped)
    }

    /// Opens or creates a generation that is not in use, and empties it if its content cannot be trusted.
    static func resume(with generation: Generation, in folder: ModelFolder) throws(ReadModelError) -> DiscoveryFile {
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

    /// Attempts to create a generation, because a builder may take the same number.
    private static let freshAttempts = 3

    /// Puts an empty generation into use after the loss of files.
    static func remake(after lost: Generation, in folder: ModelFolder) throws(ReadModelError) -> DiscoveryFile {
        try fresh(.missing, in: folder, after: lost)
    }

    /// Puts an empty generation into use. A crash before `current` names it leaves only an unused folder.
    private static func fresh(
        _ reason: BuildReason, in folder: ModelFolder, after lost: Generation? = nil
    ) throws(ReadModelError) -> DiscoveryFile {
        let opened = try numbered(reason, in: folder, after: lost)
        try folder.use(opened.generation)
        // So that a rollback returns neither to the unusable generation nor to an older one.
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

    /// Whether the log has the stored fingerprint at the model's position. If not, the model is of another log or of lost events.
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
