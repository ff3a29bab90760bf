internal import EventLog
internal import Foundation
internal import LMDB
internal import Synchronization

/// A model's folder: its generations, the file `current` that names the one in use, and `previous` with the one before.
///
/// ```
/// DATA/derived/models/card-progress/current     one line: v1-g3
/// DATA/derived/models/card-progress/previous    one line: v1-g2
/// DATA/derived/models/card-progress/v1-g3/      an EventLog.DerivedEnvironment
/// ```
/// A new generation is complete before a pointer names it. A crash at any moment leaves a pointer to a complete generation, and
/// folders that nothing names, which the next opening removes. Whoever changes the pointers MUST hold the log's writer lock; a
/// generation that no pointer names belongs to the holder of ``BuildLock``. Reading needs no lock.
package struct ModelFolder: Sendable {
    package let path: String
    package let model: String
    /// The folder of all models.
    package let models: String
    /// The largest size that a generation's file may grow to.
    var map = MapLimit()

    /// The file of a generation that LMDB keeps.
    package static let lmdbFile = "data.mdb"
    /// The name of the one file that a generation's content is in once it is closed.
    package let dataFile: String

    /// - Parameters:
    ///   - models: the folder of all models, `DATA/derived/models`.
    ///   - dataFile: where another storage engine keeps the content.
    package init(models: String, model: String, dataFile: String = ModelFolder.lmdbFile) {
        path = models + "/" + model
        (self.models, self.model, self.dataFile) = (models, model, dataFile)
    }

    private var pointer: String { path + "/current" }
    private var previousPointer: String { path + "/previous" }
    private var note: String { path + "/half-built" }

    /// The folder of a generation, whether or not it exists.
    package func path(of generation: Generation) -> String { path + "/" + generation.text }

    /// The checksum of a generation's file.
    package func seal(of generation: Generation) -> FileSeal { FileSeal(in: path(of: generation), file: dataFile) }

    /// The generation in use; nil if there is none or the pointer is unreadable. In both cases the model is built again.
    package var current: Generation? { generation(namedBy: pointer) }

    /// The generation that was in use before, kept for a rollback; nil if there is none.
    package var previous: Generation? { generation(namedBy: previousPointer).flatMap { $0 == current ? nil : $0 } }

    /// The generation that is being built, or that a builder which ended left unfinished.
    package var halfBuilt: Generation? { generation(namedBy: note) }

    private func generation(namedBy pointer: String) -> Generation? {
        guard let data = FileManager.default.contents(atPath: pointer) else { return nil }
        let text = String(decoding: data, as: UTF8.self)
        guard text.hasSuffix("\n") else { return nil }
        return Generation(text: String(text.dropLast()))
    }

    /// All generations that there are folders of, in use or not.
    package var generations: [Generation] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
        return names.compactMap { Generation(text: $0) }.sorted()
    }

    /// Whether the files of a generation that is open are gone: something else removed them. The process that has them open goes on with
    /// them, and nobody can open them again.
    package func isRemoved(_ generation: Generation) -> Bool {
        !FileManager.default.fileExists(atPath: path(of: generation) + "/" + dataFile)
    }

    /// The generation to build next.
    ///
    /// - Parameter lost: one that is open while its folder is gone, so that its number is not given twice.
    package func next(schemaVersion: Int, after lost: Generation? = nil) -> Generation {
        let last = (generations + [current, halfBuilt, previous, lost].compactMap { $0 }).map(\.number).max() ?? 0
        return Generation(schemaVersion: schemaVersion, number: last + 1)
    }

    /// Names the generation in use: writes beside, then renames, so that a reader finds the old line or the new one.
    ///
    /// - Throws: ``ReadModelError/Code/storage``.
    package func use(_ generation: Generation) throws(ReadModelError) {
        do {
            try DurableNames.makeFolder(path)
            try DurableFile.replace(pointer, with: Array((generation.text + "\n").utf8))
        } catch {
            throw ReadModelError(.storage, model: model, "cannot write \(pointer): \(FileFault(error))")
        }
    }

    /// Puts a complete generation into the place of the one in use, which becomes the previous one.
    ///
    /// A crash between the two leaves the old one in use and named twice, which means once; the new one is still noted as half built.
    ///
    /// - Throws: ``ReadModelError/Code/storage``, with the old one in use.
    package func switchOver(to generation: Generation) throws(ReadModelError) {
        if let old = current, old != generation { try write(old, to: previousPointer) }
        try use(generation)
    }

    /// Requires that a generation's folder exists before a pointer names it. A process that waited for a switch may find it removed.
    ///
    /// - Throws: ``ReadModelError/Code/missing``.
    func requireThere(_ generation: Generation) throws(ReadModelError) {
        if generations.contains(generation) { return }
        throw ReadModelError(.missing, model: model, "\(generation.text) was removed before it came into use")
    }

    /// Notes which generation is being built; nil for none.
    package func note(halfBuilt generation: Generation?) throws(ReadModelError) {
        if let generation { return try write(generation, to: note) }
        try removeFile(note)
    }

    /// Lets go of the previous generation: its pointer, then its folder.
    ///
    /// - Returns: which it was; nil where there was none.
    @discardableResult
    package func forgetPrevious() throws(ReadModelError) -> Generation? {
        let old = previous
        try removeFile(previousPointer)
        if let old { try remove(old) }
        return old
    }

    /// Removes every generation that nothing names.
    ///
    /// Listed before the notes are read: a builder writes its note before it makes the folder.
    ///
    /// - Throws: ``ReadModelError/Code/storage``.
    package func removeStrays() throws(ReadModelError) {
        let found = generations
        let named = [current, previous, halfBuilt]
        for generation in found where !named.contains(generation) { try remove(generation) }
    }

    /// Removes every generation but this one, whatever names it.
    ///
    /// - Throws: ``ReadModelError/Code/storage``.
    package func removeAll(but kept: Generation?) throws(ReadModelError) {
        for generation in generations where generation != kept { try remove(generation) }
    }

    /// Deletes a generation, if it exists.
    package func remove(_ generation: Generation) throws(ReadModelError) {
        try removeFile(path(of: generation))
    }

    /// Not flushed: after a power cut without it, a generation is built again, no more.
    private func write(_ generation: Generation, to pointer: String) throws(ReadModelError) {
        do {
            try Data((generation.text + "\n").utf8).write(to: URL(fileURLWithPath: pointer), options: .atomic)
        } catch {
            throw ReadModelError(.storage, model: model, "cannot write \(pointer): \(FileFault(error))")
        }
    }

    /// Somebody else may be removing it at the same time: what counts is that it is gone.
    private func removeFile(_ path: String) throws(ReadModelError) {
        do {
            try FileManager.default.removeItem(atPath: path)
        } catch {
            guard FileManager.default.fileExists(atPath: path) else { return }
            throw ReadModelError(.storage, model: model, "cannot remove \(path): \(FileFault(error))")
        }
    }
}

/// One build of a model: the schema version of its rows, and which build of it this is. Its text is its folder's name.
package struct Generation: Hashable, Comparable, Sendable {
    package let schemaVersion: Int
    package let number: Int

    package init(schemaVersion: Int, number: Int) {
        self.schemaVersion = schemaVersion
        self.number = number
    }

    /// `v1-g3`
    package var text: String { "v\(schemaVersion)-g\(number)" }

    /// Nil for anything but ``text`` of some generation, leading zeros included: one generation has one name.
    package init?(text: String) {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count == 2, parts[0].first == "v", parts[1].first == "g" else { return nil }
        guard let version = Int(parts[0].dropFirst()), let number = Int(parts[1].dropFirst()) else { return nil }
        self.init(schemaVersion: version, number: number)
        guard version >= 0, (0..<Int.max).contains(number), self.text == text else { return nil }
    }

    /// By number alone: a later build replaces an earlier one, whatever its schema.
    package static func < (left: Generation, right: Generation) -> Bool {
        (left.number, left.schemaVersion) < (right.number, right.schemaVersion)
    }
}

/// The right to change a generation whose storage engine lets several processes write. LMDB's generations need none of it.
///
/// A file `writer` in the generation's folder. It is held until ``letGo()``, the last reference goes, or the process ends.
package final class GenerationHold: Sendable {
    private let lock: Mutex<FileLock?>

    /// Takes the lock, and creates the generation's folder if it does not exist.
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
                Thread.sleep(forTimeInterval: ProjectionLimits.hurriedSeconds)
            }
        }
    }

    /// Nobody writes here any longer; called again it does nothing.
    package func letGo() { lock.withLock { $0 = nil } }
}
