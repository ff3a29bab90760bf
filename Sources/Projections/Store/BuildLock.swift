internal import EventLog
internal import Foundation
internal import LMDB

/// The right to build a model: one process at a time, beside the server. Held until the last reference is released.
///
/// ```
/// building      the lock, with the process that holds it
/// half-built    one line: the generation that is being built, or was when its builder ended
/// ```
/// The note is written before the generation's folder is made, so that no process removes that folder as a stray one.
///
/// Only its holder may ask a server for a hand-over. So a request that exists when the lock is taken belongs to a process that was killed,
/// and it is withdrawn. Otherwise a server would obey it at any later time.
package final class BuildLock: Sendable {
    package let folder: ModelFolder
    private let lock: FileLock

    /// - Parameter patienceSeconds: how long to wait for a server that is just switching to what an owner asked for who is gone.
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

    /// Withdraws a request without an owner. One that a server has taken cannot be withdrawn: it is in use in a moment, and until then
    /// nothing may be removed here. A server that ended in that moment never gets there.
    private func settle(_ patienceSeconds: Double) {
        let files = HandoverFiles(in: folder)
        _ = files.withdraw()
        let start = ContinuousClock.now
        while let taken = files.beingTaken, taken.generation != folder.current {
            if (ContinuousClock.now - start) / .seconds(1) >= patienceSeconds { return files.clearTaken() }
            Thread.sleep(forTimeInterval: ProjectionLimits.hurriedSeconds)
        }
    }

    /// The half-built generation to continue; nil if there is none, or if it came into use meanwhile.
    package func unfinished(schemaVersion: Int) -> Generation? {
        guard let noted = folder.halfBuilt, noted.schemaVersion == schemaVersion, folder.generations.contains(noted) else { return nil }
        return noted == folder.current || noted == folder.previous ? nil : noted
    }

    /// Names the generation that is built next, and drops the one that was half built before.
    package func begin(schemaVersion: Int) throws(ReadModelError) -> Generation {
        let old = folder.halfBuilt
        let next = folder.next(schemaVersion: schemaVersion)
        try folder.note(halfBuilt: next)
        if let old, old != folder.current, old != folder.previous, old != next { try folder.remove(old) }
        return next
    }

    /// Drops a generation that is of no use, with its note.
    package func drop(_ generation: Generation) throws(ReadModelError) {
        try folder.remove(generation)
        try folder.note(halfBuilt: nil)
    }

    /// Lets go of what is kept without being in use: the previous generation, and a half-built one.
    ///
    /// - Returns: the generations that are gone.
    package func forgetOld() throws(ReadModelError) -> [Generation] {
        var gone = [try folder.forgetPrevious()]
        if let noted = folder.halfBuilt, noted != folder.current {
            try drop(noted)
            gone.append(noted)
        }
        return gone.compactMap { $0 }
    }

    /// Says that nothing is half built any more: the generation is in use.
    package func finish() throws(ReadModelError) { try folder.note(halfBuilt: nil) }
}

/// The reason why a model is built from the first event on instead of resuming where it stopped.
public enum BuildReason: String, Sendable, Hashable {
    /// The model was never built, or its folder was deleted.
    case missing
    /// The program's rows differ from those that were stored.
    case schemaChanged
    /// The machine stopped without warning while the model was open; its pages may be lost.
    case uncleanStop
    /// The storage layer could not read it.
    case damaged
    /// It had come further than the log, or stood on an event that the log does not hold: it belongs to another log.
    case otherLog
    /// Somebody asked for it.
    case requested
}
