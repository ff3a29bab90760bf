package import LMDB
package import Merkle
internal import Synchronization

/// A log's file as of one commit, read page by page without the storage engine, for checking a log that may be damaged.
///
/// A server may run: if the folder can be opened, a reader slot keeps the commit's pages from reuse.
///
/// ## Limitations
/// If this process has the folder open already, or it is not writable, ``isHeld`` is false, and no process may write to the file meanwhile.
package final class LogFile: Sendable {
    package let file: PageFile
    /// The commit that this object shows.
    package let commit: HeadPage
    /// The table from position to record, if found.
    package let events: TreeRoot?
    /// The table from position to hashes of the Merkle tree, which an old log lacks.
    package let tree: TreeRoot?
    /// The error at reading the list of tables. A file that is no log may lack tables without an error.
    package let damage: LMDBError?
    /// The last position, by the stored number of events or, if the file is too small for that, by the last record, so that no walk goes
    /// through impossible positions.
    package let head: Position
    private let place: Mutex<Place>

    private static let entryBytesMin: UInt64 = 18

    /// Nil if the folder cannot be opened, and after being released.
    private struct Place {
        var environment: Environment?
        var hold: SnapshotHold?
    }

    /// Opens the file in a log's folder.
    ///
    /// - Throws: ``EventLogError`` `.missing`, `.notALog` if it is not a file of the storage engine, `.damaged` if it is too short,
    ///   `.storage`.
    package convenience init(directory: String) throws(EventLogError) {
        do throws(LMDBError) {
            let file = try PageFile(in: directory)
            // Opening reads only the head pages, and nothing through the map, so damage elsewhere does no harm.
            let environment = try? Environment(directory: directory, access: .readOnly)
            try self.init(file, environment)
        } catch { throw EventLogError(opening: error) }
    }

    /// Opens the file of a log that this process has open.
    ///
    /// - Throws: ``EventLogError`` `.damaged` if no head page is left; as ``init(directory:)``.
    package convenience init(of log: EventLog) throws(EventLogError) {
        let environment = log.storage.environment
        do throws(LMDBError) { try self.init(try PageFile(in: environment.directory), environment) } catch {
            // The process has opened it as a log, so it was one.
            throw error.code == .foreign ? EventLogError(.damaged, error.text) : EventLogError(opening: error)
        }
    }

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
        // If the last record cannot be read, the key stays 0.
        _ = try? cursor.seek(.max)
        return Position(cursor.key > 0 ? min(cursor.key, eventsMax) : eventsMax)
    }

    /// Returns the file as of its newest commit, or this object if the folder is not open. A long walk calls this regularly, because a held
    /// commit makes a running server's file grow. Records never change, so the walk continues there.
    ///
    /// - Throws: ``EventLogError`` `.storage`.
    package func renewed() throws(EventLogError) -> LogFile {
        guard let environment = place.withLock({ $0.environment }) else { return self }
        do throws(LMDBError) { return try LogFile(file, environment) } catch { throw EventLogError(error) }
    }

    /// At least that of any writer; nil if the folder is not open.
    var reservedBytes: Int? { place.withLock { $0.environment?.statistics.mapBytes } }

    /// Whether a running server cannot overwrite the commit's pages.
    package var isHeld: Bool { place.withLock { $0.hold != nil } }

    /// Lets a server reuse the commit's pages, for a caller that continues with ``renewed()`` objects.
    package func letCommitGo() { place.withLock { $0.hold = nil } }

    /// Releases the commit and the folder, so that this process can open it again. The last reference may go later, with a thread that has
    /// ended.
    package func letGo() { place.withLock { $0 = Place() } }

    /// Whether the pages may have been overwritten, so that findings about them mean nothing.
    package var isOvertaken: Bool { !isHeld && (try? file.newestHead().transaction) != commit.transaction }

    /// All looks at the head pages must find a fault.
    private static let headLooks = 4

    /// Checks the head pages and every page of this commit.
    package func checkPages(_ report: @escaping (PageFinding) -> Void) {
        // A writer may commit several times between two reads, but not every time.
        let looks = (0..<Self.headLooks).map { _ in file.headFindings() }
        if !looks.contains(where: \.isEmpty) { looks[0].forEach(report) }
        FileWalk(file, head: commit, appended: ["events", "tree"], report: report).run()
    }
}

/// The stored Merkle tree, read without a memory map.
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
    /// By this program's schema.
    package func nameProblems(by schema: Schema) -> [String] {
        do throws(LMDBError) {
            let tables = try file.tables(of: commit)
            guard let meta = tables["meta"], let names = tables["names"] else { return ["the log lacks its table meta or names."] }
            return metaProblems(try entries(of: meta)) + nameProblems(try entries(of: names), schema)
        } catch { return [error.statement] }
    }

    /// Rejects another program's file. A file whose tables cannot be read may be a damaged log, and passes.
    ///
    /// - Throws: ``EventLogError`` `.notALog`.
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

    /// The fault of an entry that differs from its guard, a copy with inverted bits. Older logs have no guards.
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
