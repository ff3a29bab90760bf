internal import EventLog
internal import Foundation
internal import LMDB
internal import Synchronization

extension ModelFolder {
    /// Requires that a generation's file can be read without the risk that a damaged page ends the process. MUST be called before the
    /// storage engine opens the file, while no other process writes to it. Does nothing for a file that is missing or is discarded anyway.
    ///
    /// A file of at most ``ProjectionLimits/inspectedBytesMax`` is searched, and after a clean stop also compared with its checksum. A
    /// larger one is searched later, in the background; but if the process before has ended before that, it is searched now, because
    /// damage may be the cause of that end. ``RiskNote`` records all this, because the search itself may have ended the process.
    ///
    /// - Returns: whether the pages are searched now. Those of another storage engine are to be searched by that engine.
    /// - Throws: ``ReadModelError/Code/damaged``.
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

    /// Requires that a generation's file is the one that was closed, if a checksum of it is stored.
    ///
    /// - Throws: ``ReadModelError/Code/damaged``.
    package func requireSealed(_ generation: Generation) throws(ReadModelError) {
        if !seal(of: generation).holds { throw damaged("its file is not the one that was closed", generation) }
    }

    /// Searches the pages of a generation in LMDB; those of another storage engine are searched by that engine.
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

/// The file `risk` in a model's folder. It names work on a generation that ends the process if a page is damaged in a way that no search
/// finds. Without it, such a page would end every later process too. Work that has ended is removed from the file, and a file without work
/// is removed.
///
/// ```
/// v1-g3
/// auditing
/// ```
package struct RiskNote: Sendable {
    /// Work that reads pages of a generation.
    package enum Work: String, Sendable {
        /// A generation that the process before did not close is searched and opened.
        case opening
        /// Such a generation is served, and was not searched yet.
        case serving
        /// All rows are compared with the log.
        case auditing
    }

    private let folder: ModelFolder
    private let generation: Generation
    private var path: String { folder.path + "/risk" }

    package init(_ generation: Generation, in folder: ModelFolder) {
        (self.generation, self.folder) = (generation, folder)
    }

    /// The work that was under way when earlier processes ended; empty if the note is about another generation.
    private var works: [Work] {
        let text = FileManager.default.contents(atPath: path).map { String(decoding: $0, as: UTF8.self) } ?? ""
        let lines = text.split(separator: "\n")
        return lines.first.map(String.init) == generation.text ? lines.dropFirst().compactMap { Work(rawValue: String($0)) } : []
    }

    /// Whether a process has ended while it opened the generation, or two in a row while they audited it.
    package var forbidsOpening: Bool {
        let works = works
        return works.contains(.opening) || works.count { $0 == .auditing } > 1
    }

    /// Whether a process has ended before it had searched the generation.
    package var isUnsearched: Bool { works.contains(.serving) }

    /// Notes work, durably if there is room: a full disk keeps nobody from a model. A search that begins replaces the note that there was
    /// none.
    package func begin(_ work: Work) { change { $0.filter { $0 != .serving } + [work] } }

    /// Removes work that has ended well. If that fails, the only effect is a rebuild after the next crash.
    ///
    /// A finished audit also removes the audits that have ended earlier processes.
    package func end(_ work: Work) {
        if works.contains(work) { change { $0.filter { $0 != work } } }
    }

    /// Only one thread at a time, because the auditor and the search of a server may change a note at once.
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

/// The damage of a generation that is open, which its readers, its follower or a search have met. A damaged generation is rebuilt.
package final class ModelDamage: Sendable {
    private let first = Mutex<ReadModelError?>(nil)

    package init() {}

    /// The first damage that was met; nil if there is none.
    package var error: ReadModelError? { first.withLock { $0 } }

    /// Keeps an error if it reports damage.
    ///
    /// - Returns: the error.
    @discardableResult
    package func noting(_ error: ReadModelError) -> ReadModelError {
        if error.code == .damaged { first.withLock { $0 = $0 ?? error } }
        return error
    }
}

/// The damage of an open generation, and the search for more of it.
package struct ModelHealth: Sendable {
    let damage: ModelDamage
    /// Searches the generation's file. Blocks while the file is read.
    let search: @Sendable () throws(ReadModelError) -> Void

    package init(_ damage: ModelDamage, search: @escaping @Sendable () throws(ReadModelError) -> Void) {
        (self.damage, self.search) = (damage, search)
    }
}
