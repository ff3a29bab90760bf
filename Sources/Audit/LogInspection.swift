internal import EventLog
internal import LMDB
internal import Merkle

/// Checks a log's file with plain reads before the storage engine opens it. A damaged page could make the engine access memory outside the
/// map, which ends the process with a signal.
///
/// A writing server cannot reuse the checked pages meanwhile, if the log's folder can be opened.
public struct LogInspection {
    /// How much is checked.
    public enum Extent: Sendable {
        case whole
        /// Every page of a file with at most ``LogInspection/quickBytes``, and nothing of a larger file; for commands that must answer at
        /// once.
        case ifQuick
        /// For a file that was checked just before.
        case nothing
    }

    /// The bytes that are read in about 50 ms, half of the time within which a command that shows one card must answer.
    public static let quickBytes = 64 << 20

    /// The number of events after which ``requireRecords()`` moves to a newer commit.
    private static let positionsHeld: UInt64 = 1 << 18

    private let log: LogFile

    init(of directory: String) throws(AuditError) {
        do throws(EventLogError) {
            log = try LogFile(directory: directory)
            try log.requireOurs()
        } catch { throw AuditError(any: error) }
    }

    init(of log: EventLog) throws(AuditError) {
        do throws(EventLogError) { self.log = try LogFile(of: log) } catch { throw AuditError(any: error) }
    }

    var byteCount: Int { log.file.byteCount }
    /// Whether a server cannot overwrite the pages meanwhile.
    var isHeld: Bool { log.isHeld }

    /// Closes the folder, so that the storage engine can open it.
    func letGo() { log.letGo() }

    /// Requires that all pages have the storage engine's format.
    ///
    /// - Returns: whether the pages were read and are whole; false for findings that a server's write may have caused.
    /// - Throws: ``AuditError/Code/damaged``, with the page.
    @discardableResult
    func requireWholePages(_ extent: Extent = .whole) throws(AuditError) -> Bool {
        if extent == .nothing || extent == .ifQuick && log.file.byteCount > Self.quickBytes { return false }
        let found = FirstFindings()
        log.checkPages { found.add($0) }
        guard let what = found.cause?.what ?? log.damage?.text else { return true }
        if log.isOvertaken { return false }
        let place = found.cause?.page.map { " at page \($0)" } ?? ""
        let table = found.cause?.table.map { "table \($0): " } ?? ""
        throw AuditError(.damaged, "the log's file \(log.file.path) is damaged\(place): \(table)\(what).", remedy: AuditError.damageRemedy)
    }

    /// Requires that both head pages have the storage engine's format.
    ///
    /// - Throws: ``AuditError/Code/damaged``, with the page.
    func requireHeads() throws(AuditError) {
        guard let found = log.file.headFindings(comparing: false).first else { return }
        throw AuditError(.damaged, "the log's file \(log.file.path) is damaged: \(found).", remedy: AuditError.damageRemedy)
    }

    /// Requires that each record matches its hash in the tree. Events of older logs without a stored hash are not compared.
    ///
    /// - Throws: ``AuditError/Code/damaged``, which names the position.
    func requireRecords() throws(AuditError) {
        guard var walk = Walk(log) else { return }
        do {
            var held = log
            while walk.position < walk.end, !SearchStop.isWanted {
                try walk.step()
                guard walk.position.isMultiple(of: Self.positionsHeld) else { continue }
                // A commit that is held for long lets a running server's file grow.
                held.letCommitGo()
                held = try held.renewed()
                guard held.isHeld else { throw AuditError(.stopped, "too many readers hold the log.", remedy: "Try again later.") }
                try walk.move(to: held)
            }
        } catch let error as LMDBError {
            throw AuditError(.damaged, error.statement, position: Position(walk.position + 1), remedy: AuditError.damageRemedy)
        } catch { throw AuditError(any: error) }
    }

    /// Compares, event by event, the computed hashes of the tree with the stored ones.
    private struct Walk {
        var events: FileCursor
        var hashes: FileCursor
        let end: UInt64
        var edge = TreeEdge()
        var entries: [TreeEntry] = []
        var record: [UInt8] = []
        var stored: [UInt8] = []

        init?(_ log: LogFile) {
            guard let events = log.events, let tree = log.tree else { return nil }
            (self.events, hashes) = (FileCursor(events, in: log.file), FileCursor(tree, in: log.file))
            end = tree.entries
        }

        var position: UInt64 { edge.size }

        mutating func move(to log: LogFile) throws {
            guard let events = log.events, let tree = log.tree else {
                throw AuditError.damaged("the log lacks a table", at: Position(position))
            }
            (self.events, hashes) = (FileCursor(events, in: log.file), FileCursor(tree, in: log.file))
            guard try self.events.seek(position), try hashes.seek(position) else {
                throw AuditError.damaged("there is no event", at: Position(position))
            }
        }

        mutating func step() throws {
            let next = Position(edge.size + 1)
            guard try events.next(), events.key == next.rawValue else { throw AuditError.damaged("there is no event", at: next) }
            guard try hashes.next(), hashes.key == next.rawValue else { throw AuditError.damaged("the tree has no leaf", at: next) }
            try events.value(into: &record)
            try hashes.value(into: &stored)
            entries.removeAll(keepingCapacity: true)
            edge.append(record, completing: &entries)
            guard stored == entries.flatMap(\.hash.bytes) else { throw AuditError.changedRecord(at: next) }
        }
    }
}
