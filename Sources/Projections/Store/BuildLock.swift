internal import EventLog
internal import Foundation
internal import LMDB

/// The right to build a model, which only one process at a time has. The process has it until the last reference to this object is
/// released.
///
/// A server may run at the same time. The lock uses two files in the model's folder:
///
/// ```
/// building      the lock, with the process that holds it
/// half-built    one line: the generation that is being built, or that a builder left incomplete when it ended
/// ```
/// The builder writes `half-built` before it creates the generation's folder. Otherwise another process could remove the new folder,
/// because a server removes every generation that no file names.
///
/// Only the process with this lock may request a hand-over from a server. So if a request exists when a process takes the lock, the process
/// that made the request was killed. The new holder withdraws that request, because otherwise a server could carry it out at any later
/// time.
package final class BuildLock: Sendable {
    package let folder: ModelFolder
    private let lock: FileLock

    /// Takes the lock.
    ///
    /// - Parameter patienceSeconds: the maximum time to wait for a server that is carrying out the request of a killed process.
    /// - Throws: ``ReadModelError/Code/building`` with the process that has the lock, ``ReadModelError/Code/storage``.
    package init(
        _ folder: ModelFolder, patienceSeconds: Double = ProjectionLimits.patienceSeconds
    ) throws(ReadModelError) {
        self.folder = folder
        do {
            try DurableNames.makeFolder(folder.path)
        } catch {
            throw ReadModelError(file: "cannot make \(folder.path)", error, model: folder.model)
        }
        do throws(LMDBError) {
            lock = try FileLock(folder.path + "/building")
        } catch {
            guard error.code == .locked else { throw ReadModelError(any: error, model: folder.model) }
            throw ReadModelError(.building, model: folder.model, "\(error.path) is \(error.text)")
        }
        settle(patienceSeconds)
    }

    /// Withdraws a request that a killed process has left. If a server is already carrying out the request, it cannot be withdrawn. Then
    /// this function waits until the server has switched generations, because until then no generation may be removed. If the server has
    /// ended, it never switches, and the wait ends after the time limit.
    private func settle(_ patienceSeconds: Double) {
        let files = HandoverFiles(in: folder)
        _ = files.withdraw()
        let start = ContinuousClock.now
        while let taken = files.beingTaken, taken.generation != folder.current {
            if (ContinuousClock.now - start) / .seconds(1) >= patienceSeconds { return files.clearTaken() }
            Thread.sleep(forTimeInterval: ProjectionLimits.hurriedSeconds)
        }
    }

    /// The incomplete generation of a schema version that a builder can continue; nil if there is none, or if it was put into use.
    package func unfinished(schemaVersion: Int) -> Generation? {
        guard let noted = folder.halfBuilt, noted.schemaVersion == schemaVersion, folder.generations.contains(noted) else { return nil }
        return noted == folder.current || noted == folder.previous ? nil : noted
    }

    /// Records the generation to build next in the file `half-built`, and removes an earlier incomplete generation.
    package func begin(schemaVersion: Int) throws(ReadModelError) -> Generation {
        let old = folder.halfBuilt
        let next = folder.next(schemaVersion: schemaVersion)
        try folder.note(halfBuilt: next)
        if let old, old != folder.current, old != folder.previous, old != next { try folder.remove(old) }
        return next
    }

    /// Removes a generation that cannot be used, and the file `half-built` that names it.
    package func drop(_ generation: Generation) throws(ReadModelError) {
        try folder.remove(generation)
        try folder.note(halfBuilt: nil)
    }

    /// Removes generations that are kept without being in use: the previous one, and an incomplete one.
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

    /// Removes the file `half-built`, because the new generation is in use.
    package func finish() throws(ReadModelError) { try folder.note(halfBuilt: nil) }
}

/// The reason why a model is built from the first event on instead of continuing from its stored position.
public enum BuildReason: String, Sendable, Hashable {
    /// The model was never built, or its folder was deleted.
    case missing
    /// The stored rows have a schema version that the program does not read.
    case schemaChanged
    /// The machine stopped before the model was closed, so that pages may be lost.
    case uncleanStop
    /// The storage layer could not read the model.
    case damaged
    /// The model belongs to another log: its position is after the log's head, or its last event is not in this log.
    case otherLog
    /// A rebuild was requested.
    case requested
}
