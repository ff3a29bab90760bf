internal import EventLog
internal import Foundation
internal import LMDB

/// The right to build a model, for one process at a time, also while a server runs. Held until the last reference is released.
///
/// ```
/// building      the lock, with the process that holds it
/// half-built    one line: the generation that is being built, or was when its builder ended
/// ```
/// The note is written before the generation's folder is created, so that no process removes that folder as a stray one.
///
/// Only the holder may request a hand-over from a server. So a request that exists when the lock is taken belongs to a process that was
/// killed, and it is withdrawn. Otherwise a server would carry it out at any later time.
package final class BuildLock: Sendable {
    package let folder: ModelFolder
    private let lock: FileLock

    /// Takes the lock.
    ///
    /// - Parameter patienceSeconds: the maximum time to wait for a server that is carrying out the request of a killed owner.
    /// - Throws: ``ReadModelError/Code/building`` naming the holder, ``ReadModelError/Code/storage``.
    package init(
        _ folder: ModelFolder, patienceSeconds: Double = ProjectionLimits.patienceSeconds
    ) throws(ReadModelError) {
        self.folder = folder
        do {
            try DurableNames.makeFolder(folder.path)
        } catch {
            throw ReadModelError(.storage, model: folder.model, "cannot make \(folder.path): \(FileFault(error))")
        }
        do throws(LMDBError) {
            lock = try FileLock(folder.path + "/building")
        } catch {
            guard error.code == .locked else { throw ReadModelError(any: error, model: folder.model) }
            throw ReadModelError(.building, model: folder.model, "\(error.path) is \(error.text)")
        }
        settle(patienceSeconds)
    }

    /// Withdraws a request without an owner. A request that a server has taken cannot be withdrawn: the switch is imminent, and until then
    /// nothing may be removed here. If the server has ended, the switch never happens, and waiting ends after the time limit.
    private func settle(_ patienceSeconds: Double) {
        let files = HandoverFiles(in: folder)
        _ = files.withdraw()
        let start = ContinuousClock.now
        while let taken = files.beingTaken, taken.generation != folder.current {
            if (ContinuousClock.now - start) / .seconds(1) >= patienceSeconds { return files.clearTaken() }
            Thread.sleep(forTimeInterval: ProjectionLimits.hurriedSeconds)
        }
    }

    /// The half-built generation to continue; nil if there is none, or if it has come into use.
    package func unfinished(schemaVersion: Int) -> Generation? {
        guard let noted = folder.halfBuilt, noted.schemaVersion == schemaVersion, folder.generations.contains(noted) else { return nil }
        return noted == folder.current || noted == folder.previous ? nil : noted
    }

    /// Records the generation to build next, and removes an earlier half-built one.
    package func begin(schemaVersion: Int) throws(ReadModelError) -> Generation {
        let old = folder.halfBuilt
        let next = folder.next(schemaVersion: schemaVersion)
        try folder.note(halfBuilt: next)
        if let old, old != folder.current, old != folder.previous, old != next { try folder.remove(old) }
        return next
    }

    /// Removes an unusable generation and its note.
    package func drop(_ generation: Generation) throws(ReadModelError) {
        try folder.remove(generation)
        try folder.note(halfBuilt: nil)
    }

    /// Removes generations that are kept without being in use: the previous one, and a half-built one.
    ///
    /// - Returns: the removed generations.
    package func forgetOld() throws(ReadModelError) -> [Generation] {
        var gone = [try folder.forgetPrevious()]
        if let noted = folder.halfBuilt, noted != folder.current {
            try drop(noted)
            gone.append(noted)
        }
        return gone.compactMap { $0 }
    }

    /// Records that no generation is half-built, because the new one is in use.
    package func finish() throws(ReadModelError) { try folder.note(halfBuilt: nil) }
}

/// The reason why a model is built from the first event on instead of resuming from its stored position.
public enum BuildReason: String, Sendable, Hashable {
    /// The model was never built, or its folder was deleted.
    case missing
    /// The stored rows have a schema version that the program does not read.
    case schemaChanged
    /// The machine stopped without a clean close of the model, so that pages may be lost.
    case uncleanStop
    /// The storage layer could not read the model.
    case damaged
    /// The model belongs to another log: its position is beyond the log's head, or its last event is not in this log.
    case otherLog
    /// A rebuild was requested.
    case requested
}
