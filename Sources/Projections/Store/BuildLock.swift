internal import EventLog
internal import Foundation
internal import LMDB

/// The right of one process to build a model, held until the last reference is released. A server may run at the same time.
///
/// ```
/// building      the lock, with the process that holds it
/// half-built    one line: the generation that is being built, or that a builder left incomplete
/// ```
/// `half-built` is written before the generation's folder is created, because a server removes generations that no file names. Only the
/// holder may request a hand-over, so the next holder withdraws the request of a killed one.
package final class BuildLock: Sendable {
    package let folder: ModelFolder
    private let lock: FileLock

    /// Throws ``ReadModelError/Code/building`` with the holder.
    package init(_ folder: ModelFolder, patienceSeconds: Double = ProjectionLimits.patienceSeconds) throws(ReadModelError) {
        self.folder = folder
        do { try DurableNames.makeFolder(folder.path) } catch {
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

    /// Withdraws the request of a killed process. If a server has taken it, waits for the switch, because until then no generation may be
    /// removed.
    private func settle(_ patienceSeconds: Double) {
        let files = HandoverFiles(in: folder)
        _ = files.withdraw()
        let start = ContinuousClock.now
        while let taken = files.beingTaken, taken.generation != folder.current {
            if (ContinuousClock.now - start) / .seconds(1) >= patienceSeconds { return files.clearTaken() }
            Thread.sleep(forTimeInterval: ProjectionLimits.hurriedSeconds)
        }
    }

    /// The incomplete generation that a builder can continue, unless it was put into use.
    package func unfinished(schemaVersion: Int) -> Generation? {
        guard let noted = folder.halfBuilt, noted.schemaVersion == schemaVersion, folder.generations.contains(noted) else { return nil }
        return noted == folder.current || noted == folder.previous ? nil : noted
    }

    /// Removes an earlier incomplete generation.
    package func begin(schemaVersion: Int) throws(ReadModelError) -> Generation {
        let old = folder.halfBuilt
        let next = folder.next(schemaVersion: schemaVersion)
        try folder.note(halfBuilt: next)
        if let old, old != folder.current, old != folder.previous, old != next { try folder.remove(old) }
        return next
    }

    /// Removes an unusable generation, and the `half-built` that names it.
    package func drop(_ generation: Generation) throws(ReadModelError) {
        try folder.remove(generation)
        try folder.note(halfBuilt: nil)
    }

    /// Removes and returns the previous and the incomplete generation.
    package func forgetOld() throws(ReadModelError) -> [Generation] {
        var gone = [try folder.forgetPrevious()]
        if let noted = folder.halfBuilt, noted != folder.current {
            try drop(noted)
            gone.append(noted)
        }
        return gone.compactMap { $0 }
    }

    /// Removes `half-built`, because the new generation is in use.
    package func finish() throws(ReadModelError) { try folder.note(halfBuilt: nil) }
}

/// The reason for building a model from the first event on.
public enum BuildReason: String, Sendable, Hashable {
    case missing
    case schemaChanged
    /// The machine stopped before the model was closed, so pages may be lost.
    case uncleanStop
    case damaged
    /// Its position is after the log's head, or its last event is not in the log.
    case otherLog
    case requested
}
