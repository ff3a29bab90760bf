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
struct DiscoveryFile: OpenGeneration {
    let pool: DatabasePool
    let generation: Generation
    let reason: BuildReason?
    private(set) var replaced: ReadModelError?
    let damage = ModelDamage()
    let folder: ModelFolder
    private let hold: GenerationHold

    private static let fileName = "discovery.sqlite"

    static func path(in directory: String) -> String { directory + "/" + fileName }

    static func folder(in models: String) -> ModelFolder { ModelFolder(models: models, model: Discovery.name, dataFile: fileName) }

    private var directory: String { folder.path(of: generation) }

    init(_ generation: Generation, in folder: ModelFolder, _ reason: BuildReason?, _ hold: GenerationHold) throws(ReadModelError) {
        (self.generation, self.folder, self.reason, self.hold) = (generation, folder, reason, hold)
        let directory = folder.path(of: generation)
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
        let isOpen = OpenFunction.make()
        configuration.prepareDatabase { db in
            db.add(function: isOpen)
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
    func close(sealedBytesMax: Int) throws(ReadModelError) { try close(besideReaders: false, sealedBytesMax: sealedBytesMax) }

    /// Closes the database while another process may be reading, which can keep the write-ahead log from being emptied. It then stays.
    func closeBesideReaders() throws(ReadModelError) { try close(besideReaders: true, sealedBytesMax: ProjectionLimits.inspectedBytesMax) }

    private func close(besideReaders: Bool, sealedBytesMax: Int) throws(ReadModelError) {
        defer { hold.letGo() }
        do {
            var isWhole = true
            do {
                try pool.writeWithoutTransaction { _ = try $0.checkpoint(.truncate) }
            } catch let error as DatabaseError where besideReaders && error.resultCode == .SQLITE_BUSY { isWhole = false }
            try pool.close()
            try markClean()
            // Without its write-ahead log, the file is not the whole content.
            if isWhole { try folder.seal(of: generation).write(bytesMax: sealedBytesMax) }
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
        let (folder, version) = (folder(in: models), DiscoverySchema.version)
        try folder.removeStrays()
        guard let current = folder.current else { return try fresh(.missing, version: version, in: folder) }
        let directory = folder.path(of: current)
        guard FileManager.default.fileExists(atPath: path(in: directory)) else { return try fresh(.missing, version: version, in: folder) }
        guard current.schemaVersion == version else { return try fresh(.schemaChanged, version: version, in: folder) }
        guard StateFile(in: directory).isTrusted else { return try fresh(.uncleanStop, version: version, in: folder) }
        do throws(ReadModelError) {
            let opened = try whole(current, in: folder)
            if try opened.fits(log) { return opened }
            return try fresh(.otherLog, version: version, in: folder)
        } catch {
            guard error.code == .damaged else { throw error }
            var opened = try fresh(.damaged, version: version, in: folder)
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

    static func resume(
        with generation: Generation, in folder: ModelFolder, patienceSeconds: Double
    ) throws(ReadModelError) -> DiscoveryFile {
        let hold = try GenerationHold(generation, in: folder, patienceSeconds: patienceSeconds)
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

    static func make(_ generation: Generation, _ reason: BuildReason, in folder: ModelFolder) throws(ReadModelError) -> DiscoveryFile {
        try DiscoveryFile(generation, in: folder, reason, try GenerationHold(generation, in: folder))
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
