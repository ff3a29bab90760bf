package import EventLog
internal import Foundation
internal import LMDB

/// A generation in LMDB that is open for writing.
package struct OpenModel: OpenGeneration {
    package let store: ModelStore
    package let reason: BuildReason?
    private(set) var damage: ReadModelError?
    package let generation: Generation
    package let folder: ModelFolder
    private let derived: DerivedEnvironment

    /// Opens the generation in use, also of an older version in ``Projection/compatibleVersions``. If it cannot be continued, puts an empty
    /// one into use.
    package static func open<Model: Projection>(
        _ model: Model.Type, in models: String, log: EventLog, map: MapLimit = .init()
    ) throws(ReadModelError) -> OpenModel {
        var folder = ModelFolder(models: models, model: Model.name)
        folder.map = map
        let version = Model.schemaVersion
        try folder.removeStrays()
        guard let current = folder.current else { return try fresh(.missing, version: version, in: folder) }
        guard Model.reads(current.schemaVersion) else { return try fresh(.schemaChanged, version: version, in: folder) }
        do throws(ReadModelError) {
            let opened = try OpenModel(Model.name, current, .missing, in: folder)
            if let reason = opened.reason, current.schemaVersion != version { return try fresh(reason, version: version, in: folder) }
            guard try opened.fits(log) else { return try fresh(.otherLog, version: version, in: folder) }
            // A table of another kind is damage, found here rather than by the first reader.
            for table in Model.tables { _ = try opened.store.table(table) }
            return opened
        } catch {
            guard error.code == .damaged else { throw error }
            var opened = try fresh(.damaged, version: version, in: folder)
            opened.damage = error
            return opened
        }
    }

    package static func make(_ generation: Generation, _ reason: BuildReason, in folder: ModelFolder) throws(ReadModelError) -> OpenModel {
        try OpenModel(folder.model, generation, reason, in: folder)
    }

    package static func resume(
        with generation: Generation, in folder: ModelFolder, patienceSeconds: Double
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

    private init(_ model: String, _ generation: Generation, _ reason: BuildReason, in folder: ModelFolder) throws(ReadModelError) {
        defer { RiskNote(generation, in: folder).end(.opening) }
        _ = try folder.requireWhole(generation)
        do {
            derived = try DerivedEnvironment(directory: folder.path(of: generation), options: Self.options(folder))
            // The process may change the file from now on. Not earlier, because the opening may fail.
            try FileSeal(in: folder.path(of: generation)).remove()
        } catch {
            throw ReadModelError(any: error, model: model)
        }
        store = try ModelStore(model: model, environment: derived.environment)
        (self.folder, self.generation) = (folder, generation)
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

    private static func options(_ folder: ModelFolder) -> Environment.Options {
        var options = Environment.Options()
        folder.map.set(&options)
        if let current = folder.current, let bytes = Environment.reservedBytes(in: folder.path(of: current)) {
            options.mapSizeDefault = max(options.mapSizeDefault, bytes)
        }
        return options
    }

    var mapUsage: MapUsage { MapUsage(store.model, of: derived.environment) }

    package func mark() throws(ReadModelError) -> ModelMark { try store.mark() }

    /// Flushes the folder, marks it as complete, and stores a checksum of its file. Nothing may write to it afterwards; after an error, the
    /// next opening may rebuild the model.
    package func close(sealedBytesMax: Int = ProjectionLimits.sealedBytesMax) throws(ReadModelError) {
        do {
            try derived.close()
            try FileSeal(in: store.directory).write(bytesMax: sealedBytesMax)
        } catch {
            throw ReadModelError(any: error, model: store.model)
        }
    }
}

/// The position of a model, and a fingerprint of the log there.
package struct ModelMark: Hashable, Sendable {
    package let position: Position
    /// A hash of the record at the position. If it does not match, the model is of another log or of lost events, and is rebuilt.
    package let fingerprint: UInt64

    package static let start = ModelMark(position: .start, fingerprint: 0)

    package init(position: Position, fingerprint: UInt64) { (self.position, self.fingerprint) = (position, fingerprint) }

    /// ``start`` before the first event; nil if the log has no event at the position.
    package init?(_ position: Position, in log: EventLog) throws(EventLogError) {
        guard position > .start else {
            self = .start
            return
        }
        let hash = try log.withRecord(at: position) { (record) throws(EventLogError) in Self.hash(record.bytes) }
        guard let hash else { return nil }
        self.init(position: position, fingerprint: hash)
    }

    /// The 64-bit FNV-1a hash, against mistakes and not forgery.
    private static func hash(_ bytes: Span<UInt8>) -> UInt64 {
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        for index in bytes.indices { hash = (hash ^ UInt64(bytes[index])) &* 0x100_0000_01B3 }
        return hash
    }
}
