internal import Foundation

/// A model's folder: its generations, and the file `current` that names the one in use.
///
/// ```
/// DATA/derived/models/card-progress/current     one line: v1-g3
/// DATA/derived/models/card-progress/v1-g3/      an EventLog.DerivedEnvironment
/// ```
/// A new generation is complete before the pointer names it, and the old one goes after that. A crash at any moment leaves a
/// pointer to a complete generation and at most one folder that nothing names, which the next opening removes. Whoever changes
/// anything here MUST hold the log's writer lock; reading needs no lock.
package struct ModelFolder: Sendable {
    package let path: String
    private let model: String

    /// - Parameter models: the folder of all models, `DATA/derived/models`.
    package init(models: String, model: String) {
        path = models + "/" + model
        self.model = model
    }

    private var pointer: String { path + "/current" }

    /// Where a generation lies, whether or not it is there.
    package func path(of generation: Generation) -> String { path + "/" + generation.text }

    /// The generation in use; nil where there is none, or the pointer is unreadable, which means the same: build anew.
    package var current: Generation? {
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

    /// The generation to build next.
    package func next(schemaVersion: Int) -> Generation {
        let last = (generations + [current].compactMap { $0 }).map(\.number).max() ?? 0
        return Generation(schemaVersion: schemaVersion, number: last + 1)
    }

    /// Names the generation in use: writes beside, then renames, so that a reader finds the old line or the new one.
    ///
    /// - Throws: ``ReadModelError/Code/storage``.
    package func use(_ generation: Generation) throws(ReadModelError) {
        do {
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
            try Data((generation.text + "\n").utf8).write(to: URL(fileURLWithPath: pointer), options: .atomic)
        } catch {
            throw ReadModelError(.storage, model: model, "cannot write \(pointer): \(error)")
        }
    }

    /// Removes every generation but this one.
    ///
    /// - Throws: ``ReadModelError/Code/storage``.
    package func removeAll(but kept: Generation?) throws(ReadModelError) {
        for generation in generations where generation != kept { try remove(generation) }
    }

    /// Deletes a generation; does nothing where there is none.
    package func remove(_ generation: Generation) throws(ReadModelError) {
        let folder = path(of: generation)
        guard FileManager.default.fileExists(atPath: folder) else { return }
        do {
            try FileManager.default.removeItem(atPath: folder)
        } catch {
            throw ReadModelError(.storage, model: model, "cannot remove \(folder): \(error)")
        }
    }
}
