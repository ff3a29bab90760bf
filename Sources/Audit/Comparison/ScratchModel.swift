internal import EventLog
internal import Foundation
internal import Glibc
internal import LMDB
internal import Projections
internal import ReadModels
internal import Synchronization

/// A model that is built from the log by the model's own code, in a folder that is removed when this object is released.
final class ScratchModel<Model: Projection> {
    private let directory: String
    private let log: EventLog
    private let store: ModelStore
    private let tables: [Table]

    /// - Parameters:
    ///   - directory: the path of a folder that does not exist yet.
    ///   - original: a model whose files are copied; nil for an empty model before the first event.
    init(in directory: String, log: EventLog, copying original: ScratchModel? = nil) throws {
        (self.directory, self.log) = (directory, log)
        if let original { try original.copy(to: directory) }
        let store = try ModelStore.scratch(Model.name, in: directory)
        self.store = store
        tables = try Model.tables.map { try store.table($0) }
    }

    /// Removes the files. Their memory maps are released later, when the LMDB environment is closed.
    deinit {
        try? FileManager.default.removeItem(atPath: directory)
    }

    /// Copies the model's files without flushing the copies. Copies that are not flushed are safe here, because no other thread writes the
    /// files meanwhile, and no copy is used after the process has ended.
    private func copy(to other: String) throws {
        try FileManager.default.createDirectory(atPath: other, withIntermediateDirectories: true)
        try FileManager.default.copyItem(atPath: directory + "/data.mdb", toPath: other + "/data.mdb")
    }

    /// The position of the last event that was applied.
    var position: Position {
        get throws { try store.mark().position }
    }

    /// Applies the events after the model's position, up to `end`.
    ///
    /// - Parameters:
    ///   - eventsPerBatch: the maximum number of events in one transaction.
    ///   - step: called with the position before each transaction. An error that it throws ends the function.
    /// - Returns: nil, or the reason why the model's code refuses an event.
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

    /// The value of a row; nil if there is no such row.
    func value(at place: RowPlace) throws -> [UInt8]? {
        let environment = store.environment
        let snapshot = try environment.snapshot()
        let key = place.key
        guard let value = try snapshot.get(tables[place.table], key.span) else { return nil }
        var bytes: [UInt8] = []
        bytes.append(copying: value)
        return bytes
    }

    /// The first row at which the model differs from the replay; nil if no row differs.
    func firstDifference(from replay: Replay, step: () throws -> Void) throws -> RowDifference? {
        let environment = store.environment
        let snapshot = try environment.snapshot()
        return try RowCheck(stored: tables, expected: replay.tables(of: Model.name)).firstDifference(in: snapshot, step: step)
    }
}

/// A folder for temporary models. It is removed when this object is released. After a crash, it is removed when the next object with the
/// same path is created.
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

    /// The path of this process's folder in a parent folder. The folder's name contains the process's id. Folders of processes that have
    /// ended are removed from the parent folder.
    package static func ofThisProcess(in parent: String) -> String {
        for name in (try? FileManager.default.contentsOfDirectory(atPath: parent)) ?? [] {
            guard name.hasPrefix("tool-"), let process = Int32(name.dropFirst(5)), process > 0 else { continue }
            if kill(process, 0) != 0, errno == ESRCH { try? FileManager.default.removeItem(atPath: parent + "/" + name) }
        }
        return parent + "/tool-\(ProcessInfo.processInfo.processIdentifier)"
    }

    deinit {
        try? FileManager.default.removeItem(atPath: path)
    }

    /// A path in this folder for a new folder. Each read of this property returns another path.
    package var newPath: String {
        let number = count.withLock { count in
            count += 1
            return count
        }
        return path + "/\(number)"
    }
}

/// A model that is built by the model's own code, and the replay that checks it. Both have applied the log up to the same position, and are
/// equal there.
struct BuiltBeside<Model: Projection> {
    /// The result of advancing the model and the replay by one range of events.
    enum Step {
        case agreed(BuiltBeside)
        case parted(Parting)
    }

    /// A step after which the model and the replay are not equal.
    struct Parting {
        /// The position of the event that the model's code refuses. If the code refuses none, this is the last position of the step, at
        /// which a row differs.
        let position: Position
        /// The row that differs; nil if the model's code refuses the event.
        let row: RowDifference?
        let refusal: ReadModelError?
    }

    let position: Position
    let built: ScratchModel<Model>
    private let replay: Replay
    private let scratch: ScratchFolder
    private let log: EventLog

    /// Creates the model and the replay in their state before the first event.
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

    /// Advances copies of the model and of the replay to a position. This value itself does not change, so that a shorter step can begin at
    /// the same position.
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
