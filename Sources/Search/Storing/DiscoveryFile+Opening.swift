internal import EventLog
internal import Foundation
internal import ReadModels

extension DiscoveryFile {
    /// Opens the generation in use, or a new and empty one where that cannot be gone on with.
    ///
    /// - Parameter models: the folder of all models.
    /// - Throws: ``ReadModelError/Code/storage``, ``ReadModelError/Code/log``.
    static func open(in models: String, log: EventLog) throws(ReadModelError) -> DiscoveryFile {
        let folder = ModelFolder(models: models, model: Discovery.name)
        let current = folder.current
        try folder.removeAll(but: current)
        guard let current else { return try fresh(.missing, in: folder) }
        let directory = folder.path(of: current)
        guard FileManager.default.fileExists(atPath: path(in: directory)) else { return try fresh(.missing, in: folder) }
        guard current.schemaVersion == DiscoverySchema.version else { return try fresh(.schemaChanged, in: folder) }
        guard StateFile(in: directory).isTrusted else { return try fresh(.uncleanStop, in: folder) }
        do throws(ReadModelError) {
            let opened = try DiscoveryFile(current, in: folder, nil)
            if try opened.fits(log) { return opened }
            return try fresh(.otherLog, in: folder)
        } catch {
            guard error.code == .damaged else { throw error }
            return try fresh(.damaged, in: folder)
        }
    }

    /// An empty generation that is not in use yet.
    static func make(in folder: ModelFolder, _ reason: BuildReason) throws(ReadModelError) -> DiscoveryFile {
        try DiscoveryFile(folder.next(schemaVersion: DiscoverySchema.version), in: folder, reason)
    }

    /// Makes an empty generation the one in use. A crash before the pointer is written leaves a folder that nothing names.
    private static func fresh(_ reason: BuildReason, in folder: ModelFolder) throws(ReadModelError) -> DiscoveryFile {
        let opened = try make(in: folder, reason)
        try folder.use(opened.generation)
        try folder.removeAll(but: opened.generation)
        return opened
    }

    /// Whether the model's last event is one of this log's.
    private func fits(_ log: EventLog) throws(ReadModelError) -> Bool {
        let mark = try mark()
        do throws(EventLogError) {
            return try ModelMark(mark.position, in: log) == mark
        } catch {
            throw ReadModelError(discovery: error)
        }
    }
}
