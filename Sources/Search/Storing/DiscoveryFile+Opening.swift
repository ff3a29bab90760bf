internal import EventLog
internal import Foundation
internal import ReadModels

extension DiscoveryFile {
    /// Opens the generation in use, or a new and empty one where that cannot be gone on with.
    ///
    /// - Parameter models: the folder of all models.
    /// - Throws: ``ReadModelError/Code/storage``, ``ReadModelError/Code/log``.
    static func open(in models: String, log: EventLog) throws(ReadModelError) -> DiscoveryFile {
        let folder = folder(in: models)
        try folder.removeStrays()
        guard let current = folder.current else { return try fresh(.missing, in: folder) }
        let directory = folder.path(of: current)
        guard FileManager.default.fileExists(atPath: path(in: directory)) else { return try fresh(.missing, in: folder) }
        guard current.schemaVersion == DiscoverySchema.version else { return try fresh(.schemaChanged, in: folder) }
        guard StateFile(in: directory).isTrusted else { return try fresh(.uncleanStop, in: folder) }
        do throws(ReadModelError) {
            // A builder may have just let go of it.
            let hold = try GenerationHold(current, in: folder, patienceSeconds: ReadModelLimits.patienceSeconds)
            let opened = try DiscoveryFile(current, in: folder, nil, hold)
            if try opened.fits(log) { return opened }
            return try fresh(.otherLog, in: folder)
        } catch {
            guard error.code == .damaged else { throw error }
            return try fresh(.damaged, in: folder)
        }
    }

    /// Opens a generation that is not in use, to go on with it; an empty one where there is nothing that can be trusted.
    ///
    /// - Throws: ``ReadModelError/Code/locked`` where somebody holds it for long, ``ReadModelError/Code/storage``.
    static func goOn(with generation: Generation, in folder: ModelFolder) throws(ReadModelError) -> DiscoveryFile {
        let hold = try GenerationHold(generation, in: folder, patienceSeconds: ReadModelLimits.patienceSeconds)
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

    /// New numbers to try where a builder took the same one at the same moment.
    private static let freshAttempts = 3

    /// Makes an empty generation the one in use. A crash before the pointer is written leaves a folder that nothing names.
    private static func fresh(_ reason: BuildReason, in folder: ModelFolder) throws(ReadModelError) -> DiscoveryFile {
        let opened = try numbered(reason, in: folder)
        try folder.use(opened.generation)
        // What a model could not be gone on with is no ground to go back to either.
        try folder.forgetPrevious()
        try folder.removeStrays()
        return opened
    }

    private static func numbered(_ reason: BuildReason, in folder: ModelFolder) throws(ReadModelError) -> DiscoveryFile {
        for _ in 1..<freshAttempts {
            do throws(ReadModelError) { return try empty(reason, in: folder) } catch {
                guard error.code == .locked else { throw error }
            }
        }
        return try empty(reason, in: folder)
    }

    private static func empty(_ reason: BuildReason, in folder: ModelFolder) throws(ReadModelError) -> DiscoveryFile {
        let next = folder.next(schemaVersion: DiscoverySchema.version)
        return try DiscoveryFile(next, in: folder, reason, try GenerationHold(next, in: folder))
    }

    /// Whether the model's last event is one of this log's.
    func fits(_ log: EventLog) throws(ReadModelError) -> Bool {
        let mark = try mark()
        do throws(EventLogError) {
            return try ModelMark(mark.position, in: log) == mark
        } catch {
            throw ReadModelError(discovery: error)
        }
    }
}
