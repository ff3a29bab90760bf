internal import EventLog
internal import Foundation
internal import LMDB
internal import Synchronization

/// A model's folder: its generations, and two files that name the generation in use (`current`) and the one in use before (`previous`).
///
/// ```
/// DATA/derived/models/card-progress/current     one line: v1-g3
/// DATA/derived/models/card-progress/previous    one line: v1-g2
/// DATA/derived/models/card-progress/v1-g3/      an EventLog.DerivedEnvironment
/// ```
/// The two files are called pointers. A rebuilt generation is complete before a pointer names it. If a server opens the model and can
/// continue no generation, it puts an empty one into use. After a crash at any time, `current` names a usable generation, and the next
/// opening removes all generations that no file names.
///
/// A process that changes the pointers MUST have the log's writer lock. Only a process with the ``BuildLock`` may use a generation that no
/// pointer names. Reading needs no lock.
package struct ModelFolder: Sendable {
    package let path: String
    package let model: String
    /// The folder of all models.
    package let models: String
    /// The maximum size of a generation's file.
    var map = MapLimit()

    /// The name of the file with the rows of a generation in LMDB.
    package static let lmdbFile = "data.mdb"
    /// The name of the file that contains all rows of a generation after it was closed.
    package let dataFile: String

    /// Creates the description of a model's folder.
    ///
    /// - Parameters:
    ///   - models: the folder of all models, `DATA/derived/models`.
    ///   - dataFile: the name of the file with the content, for a model that is not in LMDB.
    package init(models: String, model: String, dataFile: String = ModelFolder.lmdbFile) {
        path = models + "/" + model
        (self.models, self.model, self.dataFile) = (models, model, dataFile)
    }

    private var pointer: String { path + "/current" }
    private var previousPointer: String { path + "/previous" }
    private var note: String { path + "/half-built" }

    /// The folder of a generation, whether or not it exists.
    package func path(of generation: Generation) -> String { path + "/" + generation.text }

    /// The stored checksum of a generation's file; see ``FileSeal``.
    package func seal(of generation: Generation) -> FileSeal { FileSeal(in: path(of: generation), file: dataFile) }

    /// The generation in use; nil if there is none or the file `current` cannot be read. In both cases the model is rebuilt.
    package var current: Generation? { generation(namedBy: pointer) }

    /// The generation that was in use before, which a rollback puts into use again; nil if there is none.
    package var previous: Generation? { generation(namedBy: previousPointer).flatMap { $0 == current ? nil : $0 } }

    /// The generation that is being built, or that an earlier builder left unfinished.
    package var halfBuilt: Generation? { generation(namedBy: note) }

    private func generation(namedBy pointer: String) -> Generation? {
        guard let data = FileManager.default.contents(atPath: pointer) else { return nil }
        let text = String(decoding: data, as: UTF8.self)
        guard text.hasSuffix("\n") else { return nil }
        return Generation(text: String(text.dropLast()))
    }

    /// All generations that have a folder, whether in use or not.
    package var generations: [Generation] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
        return names.compactMap { Generation(text: $0) }.sorted()
    }

    /// Whether something has removed the files of an open generation. The process that has these files open can continue to use them, but
    /// no process can open them again.
    package func isRemoved(_ generation: Generation) -> Bool {
        !FileManager.default.fileExists(atPath: path(of: generation) + "/" + dataFile)
    }

    /// The name of the generation to build next, with the next free number.
    ///
    /// - Parameter lost: a generation in use whose folder was removed; its number is not used again.
    package func next(schemaVersion: Int, after lost: Generation? = nil) -> Generation {
        let last = (generations + [current, halfBuilt, previous, lost].compactMap { $0 }).map(\.number).max() ?? 0
        return Generation(schemaVersion: schemaVersion, number: last + 1)
    }

    /// Puts a generation into use: writes its name into a new file, and renames that file to `current`, so that a reader finds either the
    /// old line or the new one.
    ///
    /// - Throws: ``ReadModelError/Code/storage``.
    package func use(_ generation: Generation) throws(ReadModelError) {
        do {
            try DurableNames.makeFolder(path)
            try DurableFile.replace(pointer, with: Array((generation.text + "\n").utf8))
        } catch {
            throw ReadModelError(file: "cannot write \(pointer)", error, model: model)
        }
    }

    /// Replaces the generation in use by a complete one. The replaced generation becomes the previous one.
    ///
    /// After a crash between the two writes, the old generation is in use, and both pointers name it, which does no harm. The new
    /// generation is still recorded as incomplete.
    ///
    /// - Throws: ``ReadModelError/Code/storage``; after an error, the old generation is still in use.
    package func switchOver(to generation: Generation) throws(ReadModelError) {
        if let old = current, old != generation { try write(old, to: previousPointer) }
        try use(generation)
    }

    /// Requires that a generation's folder exists before the file `current` names it. The folder may have been removed while a process
    /// waited for the switch.
    ///
    /// - Throws: ``ReadModelError/Code/missing``.
    func requireThere(_ generation: Generation) throws(ReadModelError) {
        if generations.contains(generation) { return }
        throw ReadModelError(.missing, model: model, "\(generation.text) was removed before it came into use")
    }

    /// Records which generation is being built; nil if none is.
    package func note(halfBuilt generation: Generation?) throws(ReadModelError) {
        if let generation { return try write(generation, to: note) }
        try removeFile(note)
    }

    /// Removes the previous generation: first the file `previous`, then the folder.
    ///
    /// - Returns: the removed generation; nil if there was none.
    @discardableResult
    package func forgetPrevious() throws(ReadModelError) -> Generation? {
        let old = previous
        try removeFile(previousPointer)
        if let old { try remove(old) }
        return old
    }

    /// Removes every generation that none of the files `current`, `previous` and `half-built` names.
    ///
    /// The folders are listed before these files are read. A builder writes the file `half-built` before it creates a folder, so a file
    /// names every listed folder that is in use or being built.
    ///
    /// - Throws: ``ReadModelError/Code/storage``.
    package func removeStrays() throws(ReadModelError) {
        let found = generations
        let named = [current, previous, halfBuilt]
        for generation in found where !named.contains(generation) { try remove(generation) }
    }

    /// Removes every generation except one, even those that the files `current`, `previous` and `half-built` name.
    ///
    /// - Throws: ``ReadModelError/Code/storage``.
    package func removeAll(but kept: Generation?) throws(ReadModelError) {
        for generation in generations where generation != kept { try remove(generation) }
    }

    /// Deletes a generation, if it exists.
    package func remove(_ generation: Generation) throws(ReadModelError) {
        try removeFile(path(of: generation))
    }

    /// Writes a generation's name into a file, without flushing the file. If the file is lost in a power failure, the only effect is a
    /// rebuild.
    private func write(_ generation: Generation, to pointer: String) throws(ReadModelError) {
        do {
            try Data((generation.text + "\n").utf8).write(to: URL(fileURLWithPath: pointer), options: .atomic)
        } catch {
            throw ReadModelError(file: "cannot write \(pointer)", error, model: model)
        }
    }

    /// Removes a file, or a folder with its content. It is not an error if there is none, or if another process removes it at the same
    /// time.
    private func removeFile(_ path: String) throws(ReadModelError) {
        do {
            try FileManager.default.removeItem(atPath: path)
        } catch {
            guard FileManager.default.fileExists(atPath: path) else { return }
            throw ReadModelError(file: "cannot remove \(path)", error, model: model)
        }
    }
}

/// One build of a model: the schema version of its rows, and the number of the build. The name of its folder consists of both numbers.
package struct Generation: Hashable, Comparable, Sendable {
    package let schemaVersion: Int
    package let number: Int

    package init(schemaVersion: Int, number: Int) {
        self.schemaVersion = schemaVersion
        self.number = number
    }

    /// The folder's name, such as `v1-g3`.
    package var text: String { "v\(schemaVersion)-g\(number)" }

    /// Parses a folder's name; nil for any text that is not exactly the ``text`` of a generation. Leading zeros are refused too, because a
    /// generation has only one name.
    package init?(text: String) {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count == 2, parts[0].first == "v", parts[1].first == "g" else { return nil }
        guard let version = Int(parts[0].dropFirst()), let number = Int(parts[1].dropFirst()) else { return nil }
        self.init(schemaVersion: version, number: number)
        guard version >= 0, (0..<Int.max).contains(number), self.text == text else { return nil }
    }

    /// Orders generations by number, because a later build replaces an earlier one, whatever its schema version. Only generations of the
    /// same number are ordered by schema version.
    package static func < (left: Generation, right: Generation) -> Bool {
        (left.number, left.schemaVersion) < (right.number, right.schemaVersion)
    }
}

/// The right to change a generation whose storage engine lets several processes write. Generations in LMDB do not need it.
///
/// This is a lock on the file `writer` in the generation's folder, which lasts until ``letGo()``, until the last reference is released, or
/// until the process ends.
package final class GenerationHold: Sendable {
    private let lock: Mutex<FileLock?>

    /// Takes the lock, and creates the generation's folder if it does not exist.
    ///
    /// - Parameter patienceSeconds: the maximum number of seconds to wait if another process has the lock.
    /// - Throws: ``ReadModelError/Code/locked`` with the process that has the lock, ``ReadModelError/Code/storage``.
    package init(_ generation: Generation, in folder: ModelFolder, patienceSeconds: Double = 0) throws(ReadModelError) {
        let path = folder.path(of: generation)
        do { try DurableNames.makeFolder(path) } catch {
            throw ReadModelError(file: "cannot make \(path)", error, model: folder.model)
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
                Thread.sleep(forTimeInterval: ProjectionLimits.hurriedSeconds)
            }
        }
    }

    /// Releases the lock. Call it when this process has stopped writing in the generation. A second call does nothing.
    package func letGo() { lock.withLock { $0 = nil } }
}
