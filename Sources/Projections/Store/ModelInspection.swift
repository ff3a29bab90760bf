internal import EventLog
internal import Foundation
internal import LMDB
internal import Synchronization

extension ModelFolder {
    /// Requires that no damaged page of a generation's file can end the process. MUST be called before the engine opens the file.
    ///
    /// A file of at most ``ProjectionLimits/inspectedBytesMax`` is searched, and after a clean stop compared with its checksum. A larger
    /// one is searched in the background, unless the process before ended before that (``RiskNote``).
    ///
    /// - Returns: whether the pages are searched now. Another storage engine searches its own.
    package func requireWhole(_ generation: Generation) throws(ReadModelError) -> Bool {
        let state = StateFile(in: path(of: generation))
        guard !isRemoved(generation), state.isTrusted else { return false }
        let note = RiskNote(generation, in: self)
        if note.forbidsOpening { throw damaged("it was being opened or audited when the process ended", generation) }
        let isQuick = bytes(of: generation) <= ProjectionLimits.inspectedBytesMax
        let searches = isQuick || !state.isClean && note.isUnsearched
        if state.isClean {
            note.end(.serving)
            if isQuick { try requireSealed(generation) }
        } else {
            note.begin(searches ? .opening : .serving)
        }
        try wholePages(generation, headsOnly: !searches)
        return searches
    }

    /// Requires that a generation's file matches its checksum, if one is stored.
    package func requireSealed(_ generation: Generation) throws(ReadModelError) {
        if !seal(of: generation).holds { throw damaged("its file is not the one that was closed", generation) }
    }

    private func wholePages(_ generation: Generation, headsOnly: Bool) throws(ReadModelError) {
        guard dataFile == Self.lmdbFile else { return }
        do throws(LMDBError) { try Environment.requireWholePages(in: path(of: generation), headsOnly: headsOnly) } catch {
            throw ReadModelError(any: error, model: model)
        }
    }

    private func damaged(_ what: String, _ generation: Generation) -> ReadModelError {
        ReadModelError(.damaged, model: model, "\(what) (\(path(of: generation)))")
    }

    /// The size of a generation's file; 0 if there is none.
    package func bytes(of generation: Generation) -> Int {
        let attributes = try? FileManager.default.attributesOfItem(atPath: path(of: generation) + "/" + dataFile)
        return (attributes?[.size] as? NSNumber)?.intValue ?? 0
    }
}

/// The file `risk` in a model's folder, with the work on a generation that is under way.
///
/// Without it, a page that ends the process in a way that no search finds would end every later process too.
///
/// ```
/// v1-g3
/// auditing
/// ```
package struct RiskNote: Sendable {
    /// Work that reads pages of a generation.
    package enum Work: String, Sendable {
        case opening
        case serving
        case auditing
    }

    private let folder: ModelFolder
    private let generation: Generation
    private var path: String { folder.path + "/risk" }

    package init(_ generation: Generation, in folder: ModelFolder) { (self.generation, self.folder) = (generation, folder) }

    private var works: [Work] {
        let text = FileManager.default.contents(atPath: path).map { String(decoding: $0, as: UTF8.self) } ?? ""
        let lines = text.split(separator: "\n")
        return lines.first.map(String.init) == generation.text ? lines.dropFirst().compactMap { Work(rawValue: String($0)) } : []
    }

    /// Whether one process has ended while opening the generation, or two in a row while auditing it.
    package var forbidsOpening: Bool {
        let works = works
        return works.contains(.opening) || works.count { $0 == .auditing } > 1
    }

    /// Whether a process has ended before it had searched the generation.
    package var isUnsearched: Bool { works.contains(.serving) }

    /// Notes work, durably if there is room. Replaces the note of a missing search.
    package func begin(_ work: Work) { change { $0.filter { $0 != .serving } + [work] } }

    /// Removes completed work; a failure only causes a rebuild after the next crash. A completed audit also removes earlier ones.
    package func end(_ work: Work) { if works.contains(work) { change { $0.filter { $0 != work } } } }

    /// The auditor and a server's search may change a note at once.
    private static let changes = Mutex<Void>(())

    private func change(_ body: ([Work]) -> [Work]) {
        Self.changes.withLock { _ in
            let works = body(works)
            if works.isEmpty { return DurableNames.remove(path) }
            let text = ([generation.text] + works.map(\.rawValue)).joined(separator: "\n") + "\n"
            try? DurableFile.replace(path, with: Array(text.utf8))
        }
    }
}

/// The first damage met in an open generation, which is then rebuilt.
package final class ModelDamage: Sendable {
    private let first = Mutex<ReadModelError?>(nil)

    package init() {}

    package var error: ReadModelError? { first.withLock { $0 } }

    /// Keeps and returns an error if it reports damage.
    @discardableResult
    package func noting(_ error: ReadModelError) -> ReadModelError {
        if error.code == .damaged { first.withLock { $0 = $0 ?? error } }
        return error
    }
}

/// The damage of an open generation, and the search for more of it.
package struct ModelHealth: Sendable {
    let damage: ModelDamage
    let search: @Sendable () throws(ReadModelError) -> Void

    package init(_ damage: ModelDamage, search: @escaping @Sendable () throws(ReadModelError) -> Void) {
        (self.damage, self.search) = (damage, search)
    }
}
