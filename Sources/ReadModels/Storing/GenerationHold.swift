internal import EventLog
internal import Foundation
internal import LMDB
internal import Synchronization

/// The right to change a generation whose storage engine lets several processes write. LMDB's generations need none of it.
///
/// A file `writer` in the generation's folder. It is held until ``letGo()``, the last reference goes, or the process ends.
package final class GenerationHold: Sendable {
    private let lock: Mutex<FileLock?>

    /// Makes the generation's folder where there is none.
    ///
    /// - Parameter patienceSeconds: how long to wait for another holder.
    /// - Throws: ``ReadModelError/Code/locked`` naming the holder, ``ReadModelError/Code/storage``.
    package init(_ generation: Generation, in folder: ModelFolder, patienceSeconds: Double = 0) throws(ReadModelError) {
        let path = folder.path(of: generation)
        do { try DurableNames.makeFolder(path) } catch {
            throw ReadModelError(.storage, model: folder.model, "cannot make \(path): \(FileFault(error))")
        }
        lock = Mutex(try Self.lock(path + "/writer", folder.model, patienceSeconds))
    }

    private static func lock(_ path: String, _ model: String, _ patienceSeconds: Double) throws(ReadModelError) -> FileLock {
        let start = ContinuousClock.now
        while true {
            do throws(LMDBError) { return try FileLock(path) } catch {
                guard error.code == .locked, (ContinuousClock.now - start) / .seconds(1) < patienceSeconds else {
                    throw ReadModelError(any: error, model: model)
                }
                Thread.sleep(forTimeInterval: ReadModelLimits.hurriedSeconds)
            }
        }
    }

    /// Nobody writes here any longer; called again it does nothing.
    package func letGo() { lock.withLock { $0 = nil } }
}
