internal import EventLog
internal import Foundation
internal import LMDB
internal import Synchronization

/// A model's folder: its generations, and two pointers that name the one in use and the one before.
///
/// ```
/// DATA/derived/models/card-progress/current     one line: v1-g3
/// DATA/derived/models/card-progress/previous    one line: v1-g2
/// DATA/derived/models/card-progress/v1-g3/      an EventLog.DerivedEnvironment
/// ```
/// After a crash at any time, `current` names a usable generation, and the next opening removes the unnamed ones. Changing the pointers
/// requires the log's writer lock, and using a generation without a pointer the ``BuildLock``. Reading needs no lock.
package struct ModelFolder: Sendable {
    package let path: String
    package let model: String
    package let models: String
    var map = MapLimit()

    package static let lmdbFile = "data.mdb"
    package let dataFile: String

    package init(models: String, model: String, dataFile: String = ModelFolder.lmdbFile) {
        path = models + "/" + model
        (self.models, self.model, self.dataFile) = (models, model, dataFile)
    }

    private var pointer: String { path + "/current" }
    private var previousPointer: String { path + "/previous" }
    private var note: String { path + "/half-built" }

    /// The folder of a generation, whether or not it exists.
    package func path(of generation: Generation) -> String { path + "/" + generation.text }

    /// The stored checksum of a generation's file.
    package func seal(of generation: Generation) -> FileSeal { FileSeal(in: path(of: generation), file: dataFile) }

    /// The generation in use; nil if there is none or `current` cannot be read. The model is then rebuilt.
    package var current: Generation? { generation(namedBy: pointer) }

    package var previous: Generation? { generation(namedBy: previousPointer).flatMap { $0 == current ? nil : $0 } }

    package var halfBuilt: Generation? { generation(namedBy: note) }

    private func generation(namedBy pointer: String) -> Generation? {
        guard let data = FileManager.default.contents(atPath: pointer) else { return nil }
        let text = String(decoding: data, as: UTF8.self)
        guard text.hasSuffix("\n") else { return nil }
        return Generation(text: String(text.dropLast()))
    }

    /// All generations that have a folder.
    package var generations: [Generation] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
        return names.compactMap { Generation(text: $0) }.sorted()
    }

    /// Whether something has removed the files of an open generation. This process can use them, but none can open them again.
    package func isRemoved(_ generation: Generation) -> Bool {
        !FileManager.default.fileExists(atPath: path(of: generation) + "/" + dataFile)
    }

    /// The next generation's name, with a number that is free and after that of the removed generation `lost`.
    package func next(schemaVersion: Int, after lost: Generation? = nil) -> Generation {
        let last = (generations + [current, halfBuilt, previous, lost].compactMap { $0 }).map(\.number).max() ?? 0
        return Generation(schemaVersion: schemaVersion, number: last + 1)
    }

    /// Puts a generation into use by an atomic rename to `current`.
    package func use(_ generation: Generation) throws(ReadModelError) {
        do {
            try DurableNames.makeFolder(path)
            try DurableFile.replace(pointer, with: Array((generation.text + "\n").utf8))
        } catch {
            throw ReadModelError(file: "cannot write \(pointer)", error, model: model)
        }
    }

    /// Replaces the generation in use by a complete one, and keeps it as the previous one. After an error, the old generation is in use.
    ///
    /// After a crash between the two writes, both pointers name the old generation, and the new one is still recorded as incomplete.
    package func switchOver(to generation: Generation) throws(ReadModelError) {
        if let old = current, old != generation { try write(old, to: previousPointer) }
        try use(generation)
    }

    func requireThere(_ generation: Generation) throws(ReadModelError) {
        if generations.contains(generation) { return }
        throw ReadModelError(.missing, model: model, "\(generation.text) was removed before it came into use")
    }

    /// Records which generation is being built; nil if none is.
    package func note(halfBuilt generation: Generation?) throws(ReadModelError) {
        if let generation { return try write(generation, to: note) }
        try removeFile(note)
    }

    @discardableResult
    package func forgetPrevious() throws(ReadModelError) -> Generation? {
        let old = previous
        try removeFile(previousPointer)
        if let old { try remove(old) }
        return old
    }

    /// Removes every generation that no file names.
    ///
    /// Folders are listed before the files are read, and `half-built` is written before a folder, so none in use or being built is removed.
    package func removeStrays() throws(ReadModelError) {
        let found = generations
        let named = [current, previous, halfBuilt]
        for generation in found where !named.contains(generation) { try remove(generation) }
    }

    /// Removes every generation except one, even named ones.
    package func removeAll(but kept: Generation?) throws(ReadModelError) {
        for generation in generations where generation != kept { try remove(generation) }
    }

    /// Deletes a generation, if it exists.
    package func remove(_ generation: Generation) throws(ReadModelError) { try removeFile(path(of: generation)) }

    /// Writes a generation's name without a flush; a power failure only causes a rebuild.
    private func write(_ generation: Generation, to pointer: String) throws(ReadModelError) {
        do { try Data((generation.text + "\n").utf8).write(to: URL(fileURLWithPath: pointer), options: .atomic) } catch {
            throw ReadModelError(file: "cannot write \(pointer)", error, model: model)
        }
    }

    private func removeFile(_ path: String) throws(ReadModelError) {
        do {
            try FileManager.default.removeItem(atPath: path)
        } catch {
            guard FileManager.default.fileExists(atPath: path) else { return }
            throw ReadModelError(file: "cannot remove \(path)", error, model: model)
        }
    }
}

/// One build of a model: the schema version of its rows, and its number.
package struct Generation: Hashable, Comparable, Sendable {
    package let schemaVersion: Int
    package let number: Int

    package init(schemaVersion: Int, number: Int) { (self.schemaVersion, self.number) = (schemaVersion, number) }

    package var text: String { "v\(schemaVersion)-g\(number)" }

    /// Nil for any text that is not exactly a ``text``, such as one with leading zeros.
    package init?(text: String) {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count == 2, parts[0].first == "v", parts[1].first == "g" else { return nil }
        guard let version = Int(parts[0].dropFirst()), let number = Int(parts[1].dropFirst()) else { return nil }
        self.init(schemaVersion: version, number: number)
        guard version >= 0, (0..<Int.max).contains(number), self.text == text else { return nil }
    }

    /// By number first, because a later build replaces an earlier one of any version.
    package static func < (left: Generation, right: Generation) -> Bool {
        (left.number, left.schemaVersion) < (right.number, right.schemaVersion)
    }
}

/// The right to change a generation whose engine, unlike LMDB, lets several processes write: a lock on its file `writer`.
package final class GenerationHold: Sendable {
    private let lock: Mutex<FileLock?>

    /// Throws ``ReadModelError/Code/locked`` with the holder.
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

    package func letGo() { lock.withLock { $0 = nil } }
}
