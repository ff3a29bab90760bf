package import EventLog
internal import Foundation
internal import LMDB

/// A generation (one build of a model), open for writing; see ``ModelFolder`` for the files.
package struct OpenModel: Sendable {
    package let store: ModelStore
    /// The reason why the model is built from the log's first event on; nil if it continues from its stored position.
    package let reason: BuildReason?
    /// The damage of the generation that this one replaces; nil if it replaces none because of damage.
    private(set) var damage: ReadModelError?
    package let generation: Generation
    let folder: ModelFolder
    private let derived: DerivedEnvironment

    /// The maximum number of attempts to create a generation. An attempt fails if a builder creates a generation with the same number at
    /// the same time.
    private static let freshAttempts = 3

    /// Opens the generation in use. If it cannot be continued, empties it, or puts a new, empty generation into use and opens that one.
    ///
    /// A generation of an older schema version is continued if the program can still serve and update it
    /// (``Projection/compatibleVersions``).
    ///
    /// - Parameters:
    ///   - models: the folder of all models.
    ///   - map: the maximum size of the model's file.
    /// - Throws: ``ReadModelError/Code/storage``, ``ReadModelError/Code/locked``, ``ReadModelError/Code/log``.
    package static func open<Model: Projection>(
        _ model: Model.Type, in models: String, log: EventLog, map: MapLimit = .init()
    ) throws(ReadModelError) -> OpenModel {
        var folder = ModelFolder(models: models, model: Model.name)
        folder.map = map
        try folder.removeStrays()
        guard let current = folder.current else { return try fresh(model, .missing, in: folder) }
        guard Model.reads(current.schemaVersion) else { return try fresh(model, .schemaChanged, in: folder) }
        do throws(ReadModelError) {
            let opened = try OpenModel(Model.name, current, .missing, in: folder)
            if let reason = opened.reason, current.schemaVersion != Model.schemaVersion { return try fresh(model, reason, in: folder) }
            guard try opened.fits(log) else { return try fresh(model, .otherLog, in: folder) }
            // A table of another kind is damage, and is found here rather than by the first reader.
            for table in Model.tables { _ = try opened.store.table(table) }
            return opened
        } catch {
            guard error.code == .damaged else { throw error }
            var opened = try fresh(model, .damaged, in: folder)
            opened.damage = error
            return opened
        }
    }

    /// Creates an empty generation that is not in use yet.
    package static func make<Model: Projection>(_ model: Model.Type, in folder: ModelFolder) throws(ReadModelError) -> OpenModel {
        try OpenModel(Model.name, folder.next(schemaVersion: Model.schemaVersion), .requested, in: folder)
    }

    /// Opens a generation that is not in use, to continue it, and creates its folder if that is missing. The generation is emptied if LMDB
    /// cannot read the file, or if the content may be incomplete after a crash of the machine. The caller must check with ``fits(_:)`` that
    /// the content belongs to the log.
    ///
    /// - Parameter patienceSeconds: the maximum time to wait until others, such as earlier readers, have closed the generation's files.
    /// - Throws: ``ReadModelError/Code/storage``, ``ReadModelError/Code/locked``, ``ReadModelError/Code/damaged``.
    package static func goOn(
        with generation: Generation, in folder: ModelFolder, patienceSeconds: Double = ProjectionLimits.patienceSeconds
    ) throws(ReadModelError) -> OpenModel {
        let start = ContinuousClock.now
        while true {
            do throws(ReadModelError) {
                return try OpenModel(folder.model, generation, .requested, in: folder)
            } catch {
                guard error.code == .locked, (ContinuousClock.now - start) / .seconds(1) < patienceSeconds else { throw error }
                Thread.sleep(forTimeInterval: ProjectionLimits.hurriedSeconds)
            }
        }
    }

    /// Puts an empty generation into use, after something outside this process removed the files of the generation in use.
    ///
    /// - Throws: ``ReadModelError/Code/storage``.
    static func remake<Model: Projection>(
        _ model: Model.Type, after lost: Generation, in folder: ModelFolder
    ) throws(ReadModelError) -> OpenModel {
        try fresh(model, .missing, in: folder, after: lost)
    }

    /// Puts an empty generation into use. After a crash before the file `current` is written, no file names the new folder, and the next
    /// opening removes it.
    private static func fresh<Model: Projection>(
        _ model: Model.Type, _ reason: BuildReason, in folder: ModelFolder, after lost: Generation? = nil
    ) throws(ReadModelError) -> OpenModel {
        let opened = try numbered(model, reason, in: folder, after: lost)
        try folder.use(opened.generation)
        // The previous generation is removed too. So a rollback can return neither to the generation that cannot be continued nor to an
        // older one.
        try folder.forgetPrevious()
        try folder.removeStrays()
        return opened
    }

    /// Creates a generation with a free number. It tries again if a builder in another process uses the same number at the same time.
    private static func numbered<Model: Projection>(
        _ model: Model.Type, _ reason: BuildReason, in folder: ModelFolder, after lost: Generation?
    ) throws(ReadModelError) -> OpenModel {
        for _ in 1..<freshAttempts {
            do throws(ReadModelError) {
                return try OpenModel(Model.name, folder.next(schemaVersion: Model.schemaVersion, after: lost), reason, in: folder)
            } catch {
                guard error.code == .locked else { throw error }
            }
        }
        return try OpenModel(Model.name, folder.next(schemaVersion: Model.schemaVersion, after: lost), reason, in: folder)
    }

    private init(
        _ model: String, _ generation: Generation, _ reason: BuildReason, in folder: ModelFolder
    ) throws(ReadModelError) {
        defer { RiskNote(generation, in: folder).end(.opening) }
        _ = try folder.requireWhole(generation)
        do {
            derived = try DerivedEnvironment(directory: folder.path(of: generation), options: Self.options(folder))
            // From now on this process may change the file, so the file's checksum is removed. It is not removed before the folder is open,
            // because the opening may fail.
            try FileSeal(in: folder.path(of: generation)).remove()
        } catch {
            throw ReadModelError(any: error, model: model)
        }
        store = try ModelStore(model: model, environment: derived.environment)
        self.folder = folder
        self.generation = generation
        // Reading the first row is the last part of the opening that a damaged page could end.
        _ = try store.mark()
        self.reason =
            switch derived.origin {
            case .kept: nil
            case .fresh(.uncleanStop): .uncleanStop
            case .fresh(.damaged): .damaged
            case .fresh: reason
            }
    }

    /// The options for a generation's file. If no limit is configured, a new generation gets at least the map size of the generation in
    /// use.
    private static func options(_ folder: ModelFolder) -> Environment.Options {
        var options = Environment.Options()
        folder.map.set(&options)
        if let current = folder.current, let bytes = Environment.reservedBytes(in: folder.path(of: current)) {
            options.mapSizeDefault = max(options.mapSizeDefault, bytes)
        }
        return options
    }

    /// The usage of the model's memory map.
    var mapUsage: MapUsage { MapUsage(store.model, of: derived.environment) }

    /// Whether the log's event at the model's position has the fingerprint that the model stored. Always true for a model that is still at
    /// the start.
    package func fits(_ log: EventLog) throws(ReadModelError) -> Bool {
        let mark = try store.mark()
        do throws(EventLogError) {
            return try ModelMark(mark.position, in: log) == mark
        } catch {
            throw ReadModelError(any: error, model: store.model)
        }
    }

    /// Flushes the folder, marks it as complete, and stores a checksum of its file. Afterwards, nothing may write to the folder.
    ///
    /// - Parameter sealedBytesMax: the maximum size of a file of which a checksum is stored, because computing it reads the whole file.
    /// - Throws: ``ReadModelError/Code/storage``. After an error, the next opening may have to rebuild the model.
    package func close(sealedBytesMax: Int = ProjectionLimits.sealedBytesMax) throws(ReadModelError) {
        do {
            try derived.close()
            try FileSeal(in: store.directory).write(bytesMax: sealedBytesMax)
        } catch {
            throw ReadModelError(any: error, model: store.model)
        }
    }
}

/// The position of a model, and a fingerprint of the log at that position.
package struct ModelMark: Hashable, Sendable {
    /// The position up to which the model has processed the log.
    package let position: Position
    /// A short hash of the record at the position. If it does not match the log, the model was built from another log, or from events that
    /// the log has lost, and it is rebuilt.
    package let fingerprint: UInt64

    package static let start = ModelMark(position: .start, fingerprint: 0)

    package init(position: Position, fingerprint: UInt64) {
        self.position = position
        self.fingerprint = fingerprint
    }

    /// Creates the mark for a position of a log: ``start`` for the position before the first event; nil if the log has no event at the
    /// position.
    package init?(_ position: Position, in log: EventLog) throws(EventLogError) {
        guard position > .start else {
            self = .start
            return
        }
        let hash = try log.withRecord(at: position) { (record) throws(EventLogError) in Self.hash(record.bytes) }
        guard let hash else { return nil }
        self.init(position: position, fingerprint: hash)
    }

    /// The FNV-1a hash in 64 bits. It suffices to tell logs apart, but does not protect against forgery.
    private static func hash(_ bytes: Span<UInt8>) -> UInt64 {
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        for index in bytes.indices { hash = (hash ^ UInt64(bytes[index])) &* 0x100_0000_01B3 }
        return hash
    }
}
