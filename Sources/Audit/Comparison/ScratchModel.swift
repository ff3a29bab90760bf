internal import EventLog
internal import Foundation
internal import Glibc
internal import LMDB
internal import Projections
internal import ReadModels
internal import Synchronization

/// A model that its own code builds from the log, in a folder that is removed with this object.
final class ScratchModel<Model: Projection> {
    private let directory: String
    private let log: EventLog
    private let store: ModelStore
    private let tables: [Table]

    /// - Parameter original: a model whose files are copied; nil for an empty model.
    init(in directory: String, log: EventLog, copying original: ScratchModel? = nil) throws {
        (self.directory, self.log) = (directory, log)
        if let original { try original.copy(to: directory) }
        let store = try ModelStore.scratch(Model.name, in: directory)
        self.store = store
        tables = try Model.tables.map { try store.table($0) }
    }

    /// The memory maps are released later, when the environment is closed.
    deinit { try? FileManager.default.removeItem(atPath: directory) }

    /// The copies are not flushed, because none is used after the process has ended.
    private func copy(to other: String) throws {
        try FileManager.default.createDirectory(atPath: other, withIntermediateDirectories: true)
        try FileManager.default.copyItem(atPath: directory + "/data.mdb", toPath: other + "/data.mdb")
    }

    /// Applies the events up to `end`. Returns the error with which the model's code refuses an event.
    ///
    /// - Parameter step: called before each transaction; an error that it throws ends the function.
    func advance(
        to end: Position, eventsPerBatch: Int = Int(Replay.eventsPerStep), step: (Position) throws -> Void
    ) throws -> ReadModelError? {
        let options = UpdateOptions(eventsPerBatch: eventsPerBatch, cachedMax: ProjectionLimits.cachedMax)
        var updater = try ModelUpdater(try Model(store), in: store, log: log, options: options)
        while updater.position < end {
            try step(updater.position)
            do throws(ReadModelError) { try updater.advance(towards: end) } catch {
                guard error.code == .eventRefused else { throw error }
                return error
            }
        }
        return nil
    }

    func value(at place: RowPlace) throws -> [UInt8]? {
        let environment = store.environment
        let snapshot = try environment.snapshot()
        let key = place.key
        guard let value = try snapshot.get(tables[place.table], key.span) else { return nil }
        return [UInt8](copying: value)
    }

    func firstDifference(from replay: Replay, step: () throws -> Void) throws -> RowDifference? {
        try replay.firstDifference(from: store, tables, of: Model.self, step: step)
    }
}

/// A folder for temporary models, removed with this object, or by the next object with the path after a crash.
package final class ScratchFolder: Sendable {
    private let path: String
    private let count = Mutex(0)

    /// - Throws: ``AuditError/Code/output``.
    package init(_ path: String) throws(AuditError) {
        self.path = path
        do {
            try? FileManager.default.removeItem(atPath: path)
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        } catch {
            throw AuditError(
                .output, "cannot make a folder for building a model anew in \(path): \(error).",
                remedy: "Check the folder's permissions and free space: it takes twice the room of the model.")
        }
    }

    /// The folder of this process's id. Removes the folders of processes that have ended.
    package static func ofThisProcess(in parent: String) -> String {
        for name in (try? FileManager.default.contentsOfDirectory(atPath: parent)) ?? [] {
            guard name.hasPrefix("tool-"), let process = Int32(name.dropFirst(5)), process > 0 else { continue }
            if kill(process, 0) != 0, errno == ESRCH { try? FileManager.default.removeItem(atPath: parent + "/" + name) }
        }
        return parent + "/tool-\(ProcessInfo.processInfo.processIdentifier)"
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    /// A new path at each read.
    package var newPath: String {
        let number = count.withLock { count in
            count += 1
            return count
        }
        return path + "/\(number)"
    }
}

/// A model and the replay that checks it, equal at the same position.
struct BuiltBeside<Model: Projection> {
    enum Step {
        case agreed(BuiltBeside)
        case parted(Parting)
    }

    /// A step after which the model and the replay are not equal.
    struct Parting {
        /// The refused event; without one, the last position of the step.
        let position: Position
        /// Nil if the model's code refuses the event.
        let row: RowDifference?
        let refusal: ReadModelError?
    }

    let position: Position
    let built: ScratchModel<Model>
    private let replay: Replay
    private let scratch: ScratchFolder
    private let log: EventLog

    /// Creates both in their state before the first event.
    init(_ log: EventLog, in scratch: ScratchFolder) throws {
        (self.log, self.scratch) = (log, scratch)
        position = .start
        built = try ScratchModel(in: scratch.newPath, log: log)
        replay = try Replay(ofModel: Model.name, in: log)
    }

    private init(_ old: BuiltBeside, _ position: Position, _ built: ScratchModel<Model>, _ replay: Replay) {
        (self.position, self.built, self.replay) = (position, built, replay)
        (log, scratch) = (old.log, old.scratch)
    }

    /// Advances copies, so that a shorter step can begin at the same position.
    func step(to end: Position, _ step: (Position) throws(AuditError) -> Void) throws -> Step {
        let built = try ScratchModel(in: scratch.newPath, log: log, copying: built)
        if let refusal = try built.advance(to: end, step: { try step($0) }) {
            return .parted(Parting(position: refusal.position ?? end, row: nil, refusal: refusal))
        }
        var replay = replay
        try replay.walk(to: end, step: step)
        if let row = try built.firstDifference(from: replay, step: { try step(end) }) {
            return .parted(Parting(position: end, row: row, refusal: nil))
        }
        return .agreed(BuiltBeside(self, end, built, replay))
    }
}
