package import LMDB
package import Merkle
internal import Synchronization

/// A log's file read page by page without the storage engine, for checking a log that may be damaged.
///
/// It shows the log as of one commit. It needs no schema and no index, and may be used while a server runs: if the folder can be opened, a
/// reader slot keeps the commit's pages from being reused.
///
/// ## Limitations
/// The folder cannot be opened if this process has it open already, or if its file system is not writable. Then no commit is held,
/// ``isHeld`` is false, and no process may write to the file while this object is used.
package final class LogFile: Sendable {
    /// The file, for reading its pages.
    package let file: PageFile
    /// The commit that this object shows.
    package let commit: HeadPage
    /// The table from position to record; nil if it was not found.
    package let events: TreeRoot?
    /// The table from position to hashes of the log's Merkle tree; nil in a log from before the introduction of such trees, and if the
    /// table was not found.
    package let tree: TreeRoot?
    /// The error at reading the commit's list of tables; nil if the list was read. A file that is not a log may lack the tables without an
    /// error.
    package let damage: LMDBError?
    /// The last position, derived from the stored number of events. If the file is too small for that number, the number is damaged, and
    /// this is the position of the last record in its place, so that a caller does not walk through positions that cannot exist.
    package let head: Position
    private let place: Mutex<Place>

    /// The least number of bytes that an entry takes in a page: its pointer, its head and its key.
    private static let entryBytesMin: UInt64 = 18

    /// The open environment, and the hold that protects the commit's pages from reuse. Both are nil if the folder cannot be opened, and
    /// after ``LogFile/letGo()``. The hold is also nil after ``LogFile/letCommitGo()``.
    private struct Place {
        var environment: Environment?
        var hold: SnapshotHold?
    }

    /// Opens the file in a log's folder.
    ///
    /// - Throws: ``EventLogError/Code-swift.struct/missing``, ``EventLogError/Code-swift.struct/notALog`` if it is not a file of the
    ///   storage engine, ``EventLogError/Code-swift.struct/damaged`` if it is too short, ``EventLogError/Code-swift.struct/storage``.
    package convenience init(directory: String) throws(EventLogError) {
        do throws(LMDBError) {
            let file = try PageFile(in: directory)
            // Opening the environment reads only the head pages, and nothing is read through its memory map. So damage elsewhere in the
            // file can do no harm.
            let environment = try? Environment(directory: directory, access: .readOnly)
            try self.init(file, environment)
        } catch { throw EventLogError(opening: error) }
    }

    /// Opens the file of a log that this process has open.
    ///
    /// - Throws: ``EventLogError/Code-swift.struct/damaged`` if no head page is left; as ``init(directory:)``.
    package convenience init(of log: EventLog) throws(EventLogError) {
        let environment = log.storage.environment
        do throws(LMDBError) { try self.init(try PageFile(in: environment.directory), environment) } catch {
            // The process has opened it as a log, so it was one.
            throw error.code == .foreign ? EventLogError(.damaged, error.text) : EventLogError(opening: error)
        }
    }

    /// Creates an object that shows the last commit. If there is an environment, the commit's pages are protected from reuse.
    private init(_ file: PageFile, _ environment: Environment?) throws(LMDBError) {
        let hold = environment.flatMap { try? SnapshotHold($0) }
        self.file = file
        if let hold, let head = file.head(of: hold.number) { commit = head } else { commit = try file.newestHead() }
        do throws(LMDBError) {
            let tables = try file.tables(of: commit)
            (events, tree, damage) = (tables["events"], tables["tree"], nil)
        } catch { (events, tree, damage) = (nil, nil, error) }
        head = Self.head(of: events, in: file)
        place = Mutex(Place(environment: environment, hold: hold))
    }

    private static func head(of events: TreeRoot?, in file: PageFile) -> Position {
        guard let events else { return Position(0) }
        let eventsMax = UInt64(file.byteCount) / entryBytesMin
        guard events.entries > eventsMax else { return Position(events.entries) }
        var cursor = FileCursor(events, in: file)
        // No record has the greatest key, so this moves to the last record. If that cannot be read, the key stays 0.
        _ = try? cursor.seek(.max)
        return Position(cursor.key > 0 ? min(cursor.key, eventsMax) : eventsMax)
    }

    /// Returns an object that shows this file as of its newest commit. A long walk over positions calls this regularly, because holding a
    /// commit for long makes the file of a running server grow. The walk can continue in the newer commit, because stored records never
    /// change.
    ///
    /// - Returns: this object itself if the folder could not be opened, or after ``letGo()``.
    /// - Throws: ``EventLogError/Code-swift.struct/storage``.
    package func renewed() throws(EventLogError) -> LogFile {
        guard let environment = place.withLock({ $0.environment }) else { return self }
        do throws(LMDBError) { return try LogFile(file, environment) } catch { throw EventLogError(error) }
    }

    /// Bytes of address space that this process reserves for the file, at least as many as any writer of the log has reserved; nil if the
    /// folder cannot be opened, and after ``letGo()``.
    var reservedBytes: Int? { place.withLock { $0.environment?.statistics.mapBytes } }

    /// Whether the commit is held, so that a running server cannot overwrite its pages.
    package var isHeld: Bool { place.withLock { $0.hold != nil } }

    /// Releases the hold on the commit, so that a server can reuse its pages. For a caller that continues only with ``renewed()`` objects.
    package func letCommitGo() { place.withLock { $0.hold = nil } }

    /// Releases the commit's pages and the folder, so that this process can open the folder in another way. Later reads may see another
    /// commit. Dropping the last reference to this object does the same, but perhaps later: a thread that has ended may keep a reference
    /// for a moment.
    package func letGo() { place.withLock { $0 = Place() } }

    /// Whether the commit is not held and a writer has committed since. Then the commit's pages may have been overwritten, and findings
    /// about them mean nothing.
    package var isOvertaken: Bool { !isHeld && (try? file.newestHead().transaction) != commit.transaction }

    /// The number of looks at the head pages, all of which must find a fault.
    private static let headLooks = 4

    /// Checks the head pages and every page that this commit uses, and reports their faults.
    package func checkPages(_ report: @escaping (PageFinding) -> Void) {
        // A writer may commit several times between the reads of the two head pages, which are no neighbours then; but not every time.
        let looks = (0..<Self.headLooks).map { _ in file.headFindings() }
        if !looks.contains(where: \.isEmpty) { looks[0].forEach(report) }
        FileWalk(file, head: commit, appended: ["events", "tree"], report: report).run()
    }
}

/// The stored Merkle tree, read without a memory map, for roots and proofs of the log.
extension LogFile: HashSource {
    /// The stored entries of a tile level; see ``LogTree/hashes(level:in:)``.
    package func hashes(level: Int, in range: Range<UInt64>) throws -> [NodeHash] {
        guard let tree else { throw EventLogError(.damaged, "the log has no tree.") }
        var cursor = FileCursor(tree, in: file)
        var bytes: [UInt8] = []
        return try range.map { index in
            let position = (index + 1) << UInt64(8 * level)
            guard try cursor.seek(position) else { throw EventLogError(.damaged, "a hash is missing.", position: Position(position)) }
            try cursor.value(into: &bytes)
            return try Self.hash(in: bytes, level, position)
        }
    }

    private static func hash(in bytes: [UInt8], _ level: Int, _ position: UInt64) throws(EventLogError) -> NodeHash {
        let start = level * NodeHash.byteCount
        guard bytes.count >= start + NodeHash.byteCount, let hash = NodeHash(Array(bytes[start..<start + NodeHash.byteCount])) else {
            throw EventLogError(.damaged, "a hash of level \(level) is missing.", position: Position(position))
        }
        return hash
    }
}

extension LogFile {
    /// The faults in the log's description and in its names of types and kinds.
    ///
    /// - Parameter schema: this program's names of types and kinds.
    package func nameProblems(by schema: Schema) -> [String] {
        do throws(LMDBError) {
            let tables = try file.tables(of: commit)
            guard let meta = tables["meta"], let names = tables["names"] else { return ["the log lacks its table meta or names."] }
            return metaProblems(try entries(of: meta)) + nameProblems(try entries(of: names), schema)
        } catch { return [error.statement] }
    }

    /// Rejects another program's file, which may be intact but is not a log. A file whose tables cannot be read is not rejected, because it
    /// may be a damaged log.
    ///
    /// - Throws: ``EventLogError/Code-swift.struct/notALog``.
    package func requireOurs() throws(EventLogError) {
        do throws(LMDBError) {
            let tables = try file.tables(of: commit)
            if tables["events"] != nil { return }
            if let meta = tables["meta"], try entries(of: meta)[LogMeta.magicKey] == LogMeta.magic { return }
        } catch { return }
        throw EventLogError(.notALog, "\(file.path) is an LMDB environment, but not one of ours.")
    }

    func entries(of tree: TreeRoot) throws(LMDBError) -> [[UInt8]: [UInt8]] {
        var entries: [[UInt8]: [UInt8]] = [:]
        var cursor = FileCursor(tree, in: file)
        var value: [UInt8] = []
        while try cursor.next() {
            try cursor.value(into: &value)
            entries[cursor.keyBytes] = value
        }
        return entries
    }

    private func metaProblems(_ entries: [[UInt8]: [UInt8]]) -> [String] {
        var problems: [String] = []
        if entries[LogMeta.magicKey] != LogMeta.magic { problems.append("it does not say that it is a log.") }
        var format: [UInt8] = []
        format.append(littleEndian: LogMeta.format)
        if entries[LogMeta.formatKey] != format { problems.append("it is not of format \(LogMeta.format).") }
        guard let created = entries[LogMeta.createdKey], created.count == 8 else {
            return problems + ["it does not say when it was created."]
        }
        problems += [LogMeta.createdKey, LogMeta.originKey].compactMap { guardProblem(of: $0, in: entries) }
        for key in entries.keys where !LogMeta.keys.contains(key) { problems.append("it says something under the strange key \(key).") }
        return problems
    }

    /// The fault of an entry that differs from its guard, which is a copy with inverted bits. Older logs have no guards, so a missing guard
    /// is no fault.
    private func guardProblem(of key: [UInt8], in entries: [[UInt8]: [UInt8]]) -> String? {
        guard let guarding = entries[LogMeta.guardKey(of: key)], guarding != entries[key]?.map({ ~$0 }) else { return nil }
        return "its \(String(decoding: key, as: UTF8.self)) does not fit the guard of it."
    }

    private func nameProblems(_ entries: [[UInt8]: [UInt8]], _ schema: Schema) -> [String] {
        entries.sorted { $0.key.lexicographicallyPrecedes($1.key) }.compactMap { key, value in
            let name = String(decoding: value, as: UTF8.self)
            let expected: String?
            switch (key.first, key.count) {
            case (UInt8(ascii: "t"), 3): expected = schema.types[EventType(UInt16(key[1]) << 8 | UInt16(key[2]))]
            case (UInt8(ascii: "k"), 2): expected = schema.tagKinds[TagKind(key[1])]?.name
            default: return "a name under the strange key \(key)."
            }
            return expected == name ? nil : "number \(key.dropFirst()) is named '\(name)', and to this program \(expected ?? "nothing")."
        }
    }
}
