internal import EventLog
internal import LMDB
internal import Merkle

/// Checks a log's file before a tool opens it with the storage engine. If a page is damaged, the storage engine may access memory outside
/// the mapped file, which ends the process with a signal.
///
/// The check reads every page once with plain reads, like ``Verification``. If the log's folder can be opened, a server that writes cannot
/// reuse the pages of the checked commit during the check. The check takes about as long as reading the file from end to end.
public struct LogInspection {
    /// How much is checked.
    public enum Extent: Sendable {
        /// Every page.
        case whole
        /// Every page of a file with at most ``LogInspection/quickBytes``, and nothing of a larger file. This is for commands that must
        /// answer at once and read only a few pages.
        case ifQuick
        /// Nothing. This is for a file that was checked just before.
        case nothing
    }

    /// The number of bytes that can be read in about 50 ms. This is half of the 100 ms within which a command that shows one card must
    /// answer.
    public static let quickBytes = 64 << 20

    /// The number of events after which ``requireRecords()`` goes on in a newer commit.
    private static let positionsHeld: UInt64 = 1 << 18

    private let log: LogFile

    /// Opens the file of a log's folder.
    ///
    /// - Throws: ``AuditError/Code/missing``, ``AuditError/Code/log`` if the folder's file is not a log, ``AuditError/Code/damaged``.
    init(of directory: String) throws(AuditError) {
        do throws(EventLogError) {
            log = try LogFile(directory: directory)
            try log.requireOurs()
        } catch { throw AuditError(any: error) }
    }

    /// Opens the file of a log that this process has open.
    ///
    /// - Throws: ``AuditError/Code/damaged`` if no head page is left.
    init(of log: EventLog) throws(AuditError) {
        do throws(EventLogError) { self.log = try LogFile(of: log) } catch { throw AuditError(any: error) }
    }

    /// The size of the file.
    var byteCount: Int { log.file.byteCount }
    /// Whether a server cannot overwrite the pages meanwhile.
    var isHeld: Bool { log.isHeld }

    /// Closes the folder, so that the storage engine can open it.
    func letGo() { log.letGo() }

    /// Requires that all pages of the log's file have the storage engine's format.
    ///
    /// - Returns: whether the pages were read and are whole. It is also false if there are findings that mean nothing, because a server
    ///   wrote meanwhile.
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
        throw AuditError(
            .damaged, "the log's file \(log.file.path) is damaged\(place): \(table)\(what).", remedy: AuditError.damageRemedy)
    }

    /// Requires that each record of the log matches its hash in the tree, and that the stored hashes match each other. Events without a
    /// stored hash, as in a log from before the introduction of trees, are not compared.
    ///
    /// - Throws: ``AuditError/Code/damaged``, which names the position.
    func requireRecords() throws(AuditError) {
        guard var walk = Walk(log) else { return }
        do {
            var held = log
            while walk.position < walk.end, !SearchStop.isWanted {
                try walk.step()
                guard walk.position.isMultiple(of: Self.positionsHeld) else { continue }
                // A commit that is held for long lets the file of a running server grow.
                held.letCommitGo()
                held = try held.renewed()
                guard held.isHeld else { throw AuditError(.stopped, "too many readers hold the log.", remedy: "Try again later.") }
                try walk.move(to: held)
            }
        } catch let error as LMDBError {
            throw AuditError(.damaged, error.statement, position: Position(walk.position + 1), remedy: AuditError.damageRemedy)
        } catch { throw AuditError(any: error) }
    }

    /// Reads the log event by event, and compares the hashes that each event adds to the tree with the stored hashes.
    private struct Walk {
        var events: FileCursor
        var hashes: FileCursor
        /// The number of events that the walk goes through.
        let end: UInt64
        var edge = TreeEdge()
        var entries: [TreeEntry] = []
        var record: [UInt8] = []
        var stored: [UInt8] = []

        /// - Returns: nil if the log has no tree.
        init?(_ log: LogFile) {
            guard let events = log.events, let tree = log.tree else { return nil }
            (self.events, hashes) = (FileCursor(events, in: log.file), FileCursor(tree, in: log.file))
            end = tree.entries
        }

        var position: UInt64 { edge.size }

        /// Goes on in a newer commit.
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
